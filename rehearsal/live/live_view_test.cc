#include "rehearsal/live/live_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "rehearsal/live/news.h"
#include "rehearsal/report/columns.h"
#include "rehearsal/report/testing/screen.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;
using ::testing::HasSubstr;
using ::testing::Not;

RehearsalMoment moment(std::int64_t second, std::vector<std::string> news = {}) {
  RehearsalMoment now{.time = Duration(second * 1000), .news = std::move(news)};
  now.zones = {{.name = "us-west-2c",
                .edges = {{.at = Duration(30'000), .available = false}, {.at = Duration(60'000), .available = true}},
                .price_per_hour = 0.92}};
  now.nodes = {{.name = "spot-1", .zone = "us-west-2c", .capacity = "spot p3.2xlarge", .state = "Ready"}};
  now.pods = {{.name = "finetune-1-0", .node = "spot-1", .state = "Running", .step = 1240}};
  now.jobs = {{.name = "vision/finetune",
               .state = "Running",
               .attempt = 1,
               .interruptions = 2,
               .checkpoint_step = 1200,
               .checkpoint_age = Duration(40'000),
               .progress = 0.5}};
  return now;
}

std::string text(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

const LiveInfo kInfo{.title = "Spot day", .length = Duration(100'000), .speed = 60};
const LiveStyle kPlain{.colours = false, .unicode = false};

TEST(LiveFrame, shows_capacity_jobs_pods_and_nodes) {
  EXPECT_EQ(text(live_frame(moment(45), kInfo, {.columns = 100, .rows = 40}, kPlain)),
            " Spot day                 0:00:45 of 0:01:40   60 times as fast\n"
            "\n"
            " Spot capacity\n"
            "   us-west-2c           ================........|.......======================  no spot  $0.920/h\n"
            "\n"
            " Jobs\n"
            "   vision/finetune      Running         ##########----------  50 %\n"
            "                        2 interruptions  checkpoint 1,200, 40 s ago\n"
            "\n"
            " Pods\n"
            "   finetune-1-0         Running         step 1,240      on spot-1\n"
            "\n"
            " Nodes\n"
            "   spot-1               Ready           us-west-2c      spot p3.2xlarge\n");
}

TEST(LiveFrame, a_wide_window_has_each_job_on_one_line) {
  EXPECT_THAT(text(live_frame(moment(45), kInfo, {.columns = 120, .rows = 40}, kPlain)),
              HasSubstr("  50 %  2 interruptions  checkpoint 1,200, 40 s ago\n"));
}

TEST(LiveFrame, fits_every_window) {
  RehearsalMoment now = moment(45);
  for (int i = 0; i < 50; ++i) {
    now.nodes.push_back({.name = std::string(80, 'n'), .zone = std::string(80, 'z'), .state = "NotReady"});
    now.pods.push_back({.name = "größer-" + std::to_string(i), .node = "n", .state = "Pending"});
  }
  for (std::size_t columns = 1; columns < 200; columns += 7) {
    for (std::size_t rows = 1; rows < 130; rows += 3) {
      const auto lines = live_frame(now, kInfo, {.columns = columns, .rows = rows}, kPlain);
      ASSERT_LE(lines.size(), rows > 3 ? rows - 2 : 1) << columns << "x" << rows;
      for (const std::string& line : lines) ASSERT_LE(width_of(line), columns) << line;
    }
  }
}

TEST(LiveFrame, what_is_cut_is_counted_and_jobs_stay) {
  RehearsalMoment now = moment(45);
  for (int i = 0; i < 50; ++i) now.nodes.push_back({.name = "n"});
  const std::string shown = text(live_frame(now, kInfo, {.columns = 80, .rows = 20}, kPlain));
  EXPECT_THAT(shown, HasSubstr("and 47 more\n"));
  EXPECT_THAT(shown, HasSubstr("vision/finetune"));
}

TEST(LiveFrame, text_of_the_cluster_is_no_command_for_the_terminal) {
  RehearsalMoment now = moment(45);
  now.jobs[0].message = now.jobs[0].name = now.pods[0].name = now.nodes[0].zone = "\033]0;title\007";
  EXPECT_THAT(text(live_frame(now, kInfo, {.columns = 200, .rows = 40}, kPlain)), Not(HasSubstr("\033")));
}

TEST(LiveFrame, without_colours_there_are_none) {
  EXPECT_THAT(text(live_frame(moment(45), kInfo, {}, {.colours = false})), Not(HasSubstr("\033")));
  EXPECT_THAT(text(live_frame(moment(45), kInfo, {}, {.colours = true})), HasSubstr("\033[36mRunning"));
}

TEST(News, a_decision_of_the_operator_is_reported_in_plain_words) {
  EXPECT_EQ(readable_news("  73.157 s  operator-1   info Decided controller=resumablejob namespace=speech name=align "
                          "reconcileID=dd41 reason=Started note=\"attempt 1 \\\"runs\\\" with 1 pod\""),
            "  73.157 s  operator-1   speech/align: Started, attempt 1 \"runs\" with 1 pod");
  EXPECT_EQ(readable_news(" operator-1  info Decided controller=gpupool name=v100 reconcileID=1 reason=Ready"),
            " operator-1  v100: Ready");
}

TEST(News, all_else_stays_but_for_ids) {
  EXPECT_EQ(readable_news("operator-1 warning Reconcile failed reconcileID=1f62 class=Forbidden"),
            "operator-1 warning Reconcile failed class=Forbidden");
  for (const char* line : {"", "cloud launches v100-spot-1: p3.2xlarge", "info Decided ", "x reconcileID="})
    EXPECT_EQ(readable_news(line).find("reconcileID="), std::string::npos) << line;
  EXPECT_EQ(readable_news("info Decided name=\"cut"), "info Decided name=\"cut");
}

TEST(News, a_job_in_another_state_or_attempt_is_reported_once) {
  NewsWriter news;
  RehearsalMoment now = moment(3600);
  EXPECT_EQ(news.lines_of(now).size(), 1U);
  EXPECT_EQ(news.lines_of(now).size(), 0U);
  now.jobs[0].state = "Interrupted";
  EXPECT_THAT(news.lines_of(now),
              ::testing::ElementsAre("1:00:00  job vision/finetune: Interrupted, attempt 1, newest checkpoint 1,200"));
  now.jobs[0].attempt = 2;
  EXPECT_EQ(news.lines_of(now).size(), 1U);
  EXPECT_EQ(news.lines_of(now).size(), 0U);
}

TEST(LiveView, elsewhere_than_on_a_terminal_only_the_news_are_written) {
  std::ostringstream out;
  {
    LiveView view(out, kInfo);
    view.show(moment(1, {"node spot-1 is ready"}));
    view.show(moment(2));
    view.show(moment(3661, {"notice\033[2J", "saved"}));
  }
  EXPECT_EQ(out.str(),
            "0:00:01  node spot-1 is ready\n"
            "0:00:01  job vision/finetune: Running, attempt 1, newest checkpoint 1,200\n"
            "1:01:01  notice\xEF\xBF\xBD[2J\n1:01:01  saved\n");
}

TEST(LiveView, on_a_terminal_one_picture_stands_below_the_news_however_often_it_is_drawn) {
  constexpr TerminalSize kSize{.columns = 90, .rows = 20};
  std::ostringstream out;
  testing::Screen screen(kSize.columns, kSize.rows);
  std::string news;
  {
    LiveView view(
        out, kInfo, [&] { return kSize; }, LiveStyle{});
    for (int second = 0; second < 60; ++second) {
      const std::string one = "news " + std::to_string(second);
      view.show(moment(second, {one, one + " again"}));
      const std::string at = " 0:00:" + std::string(second < 10 ? "0" : "") + std::to_string(second) + "  ";
      news += at + one + "\n" + at + one + " again\n";
      if (second == 0) news += at + "job vision/finetune: Running, attempt 1, newest checkpoint 1,200\n";
      screen.write(std::exchange(out, std::ostringstream()).str());
      EXPECT_FALSE(screen.cursor_visible());
      const auto plain = LiveStyle{.colours = false, .unicode = true};
      std::string frame = text(live_frame(moment(second), kInfo, kSize, plain));
      ASSERT_EQ(screen.all(), news + "\n" + frame) << second;
    }
  }
  screen.write(out.str());
  EXPECT_TRUE(screen.cursor_visible());
}

TEST(LiveView, a_window_of_another_size_is_drawn_anew) {
  TerminalSize size{.columns = 90, .rows = 20};
  std::ostringstream out;
  LiveView view(
      out, kInfo, [&] { return size; }, kPlain);
  view.show(moment(1));
  out.str("");
  size.columns = 60;
  view.show(moment(2));
  testing::Screen screen(60, 20);
  screen.write("what the old picture became\n");
  screen.write(out.str());
  EXPECT_EQ(screen.all(), "\n" + text(live_frame(moment(2), kInfo, size, kPlain)));
}

}  // namespace
}  // namespace reprise::rehearsal
