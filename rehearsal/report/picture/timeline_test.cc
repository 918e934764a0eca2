#include <gtest/gtest.h>

#include <algorithm>

#include "rehearsal/report/picture/axis.h"
#include "rehearsal/report/picture/progress_curve.h"
#include "rehearsal/report/picture/thinning.h"
#include "rehearsal/report/picture/timeline_layout.h"
#include "rehearsal/report/testing/sample_report.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;
using Kind = ReportMark::Kind;

std::string labels(Duration length, int most = 8) {
  std::string text;
  for (const Tick& tick : axis_of(length, most, 3).ticks) text += (text.empty() ? "" : " ") + tick.label;
  return text;
}

TEST(Axis, ticks_are_at_round_times_and_said_in_their_unit) {
  using std::chrono::hours, std::chrono::minutes, std::chrono::seconds;
  EXPECT_EQ(labels(Duration(450)), "0 100 ms 200 ms 300 ms 400 ms");
  EXPECT_EQ(labels(seconds(40)), "0 5 s 10 s 15 s 20 s 25 s 30 s 35 s 40 s");
  EXPECT_EQ(labels(seconds(200)), "0 0:30 1:00 1:30 2:00 2:30 3:00");
  EXPECT_EQ(labels(minutes(90)), "0 15 min 30 min 45 min 60 min 75 min 90 min");
  EXPECT_EQ(labels(minutes(200)), "0 0:30 1:00 1:30 2:00 2:30 3:00");
  EXPECT_EQ(labels(hours(24)), "0 3 h 6 h 9 h 12 h 15 h 18 h 21 h 24 h");
  EXPECT_EQ(labels(hours(24 * 7)), "0 1 d 2 d 3 d 4 d 5 d 6 d 7 d");
}

TEST(Axis, labels_that_could_mean_two_things_come_with_their_unit) {
  EXPECT_EQ(axis_of(std::chrono::seconds(200), 8, 3).unit, "min:s");
  EXPECT_EQ(axis_of(std::chrono::minutes(200), 8, 3).unit, "h:mm");
  EXPECT_EQ(axis_of(std::chrono::hours(24), 8, 3).unit, "");
}

TEST(Axis, there_are_never_too_many_ticks_and_every_major_one_is_one_of_them) {
  for (std::int64_t length = 0; length < 10'000'000'000'000; length = length * 3 / 2 + 1) {
    const Axis axis = axis_of(Duration(length), 8, 3);
    const auto majors =
        std::count_if(axis.ticks.begin(), axis.ticks.end(), [](const Tick& tick) { return tick.major; });
    ASSERT_LE(axis.ticks.size(), 9U) << length;
    ASSERT_LE(majors, 4) << length;
    ASSERT_TRUE(axis.ticks.front().major) << length;
    ASSERT_LE(axis.ticks.back().at, Duration(length)) << length;
  }
}

std::vector<ReportMark> marks(std::size_t checkpoints, std::size_t every) {
  std::vector<ReportMark> list;
  for (std::size_t i = 0; i < checkpoints; ++i)
    list.push_back({.at = Duration(i), .kind = i % every == 0 ? Kind::Kill : Kind::Checkpoint});
  return list;
}

TEST(Thinning, few_marks_all_stay) {
  EXPECT_EQ(thinned(marks(100, 10), 100).kept.size(), 100U);
  EXPECT_EQ(thinned(marks(100, 10), 100).left_out, 0U);
}

TEST(Thinning, checkpoints_go_before_anything_that_tells_more) {
  const auto result = thinned(marks(1000, 20), 100);
  EXPECT_EQ(result.kept.size(), 100U);
  EXPECT_EQ(result.left_out, 900U);
  EXPECT_EQ(
      std::count_if(result.kept.begin(), result.kept.end(), [](const ReportMark& m) { return m.kind == Kind::Kill; }),
      50);
}

TEST(Thinning, what_stays_is_in_order_and_reaches_from_the_first_to_the_last) {
  for (const std::size_t every : {1, 2, 7}) {
    const auto kept = thinned(marks(1000, every), 30).kept;
    ASSERT_EQ(kept.size(), 30U);
    EXPECT_EQ(kept.front().at, Duration(0));
    EXPECT_GE(kept.back().at, Duration(990));
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](auto& a, auto& b) { return a.at < b.at; }));
  }
}

TEST(Thinning, no_room_at_all_leaves_nothing) {
  EXPECT_EQ(thinned(marks(10, 2), 0).left_out, 10U);
  EXPECT_EQ(thinned(marks(10, 2), 1).kept.size(), 1U);
}

TEST(Thinning, neighbours_too_short_to_be_told_apart_become_one_of_their_longest_state) {
  std::vector<ReportSpan> spans;
  for (int i = 0; i < 1000; ++i)
    spans.push_back({.from = Duration(i * 3),
                     .to = Duration(i * 3 + (i % 2 == 0 ? 1 : 2)),
                     .state = i % 2 == 0 ? ReportSpan::State::Training : ReportSpan::State::Saving});
  spans.push_back({.from = Duration(3000), .to = Duration(9000), .state = ReportSpan::State::Done, .label = "long"});
  const auto result = thinned(spans, 100, Duration(9000));
  EXPECT_LE(result.kept.size(), 100U);
  EXPECT_EQ(result.left_out + result.kept.size(), 1001U);
  EXPECT_EQ(result.kept.front().from, Duration(0));
  EXPECT_EQ(result.kept.front().state, ReportSpan::State::Saving);
  EXPECT_EQ(result.kept.back().label, "long");
  EXPECT_EQ(result.kept.back().from, Duration(3000));
  for (std::size_t i = 1; i < result.kept.size(); ++i) ASSERT_LE(result.kept[i - 1].to, result.kept[i].from);
}

TEST(Thinning, spans_of_any_length_never_become_more_than_allowed) {
  for (const int step : {1, 2, 3, 5, 50}) {
    std::vector<ReportSpan> spans;
    int at = 0;
    while (at < 10'000) {
      spans.push_back({.from = Duration(at), .to = Duration(at + 1 + at % step)});
      at += 1 + at % step;
    }
    ASSERT_LE(thinned(spans, 61, Duration(at)).kept.size(), 61U) << step;
  }
}

TEST(Thinning, of_long_logs_both_ends_stay_with_a_word_between) {
  const std::vector<std::string> lines{"1", "2", "3", "4", "5", "6"};
  EXPECT_EQ(ends_of(lines, 6), lines);
  EXPECT_EQ(ends_of(lines, 3), (std::vector<std::string>{"1", "… 3 lines left out here …", "5", "6"}));
}

TEST(TimelineLayout, zones_come_first_then_nodes_then_jobs_with_their_ranks) {
  const RunReport report = testing::sample_report();
  std::string order;
  for (const TimelineRow& row : timeline_layout(report).rows)
    order += row.lane ? row.lane->name + " " : row.heading + ": ";
  EXPECT_EQ(order,
            "Spot capacity: us-west-2b us-west-2c Nodes: spot-1 spot-2 spot-3 spot-4 spot-5 Jobs: vision/segment "
            "vision/finetune rank 0 rank 1 speech/align ");
}

TEST(TimelineLayout, rows_lie_below_each_other_without_gaps) {
  const RunReport report = testing::sample_report();
  const TimelineLayout layout = timeline_layout(report);
  int bottom = 0;
  for (const TimelineRow& row : layout.rows) {
    EXPECT_EQ(row.top, bottom);
    bottom += row.height;
  }
  EXPECT_EQ(layout.height, bottom);
}

TEST(TimelineLayout, many_nodes_share_rows_when_they_were_not_there_at_once) {
  RunReport report;
  for (int i = 0; i < 30; ++i)
    report.lanes.push_back({.kind = ReportLane::Kind::Node,
                            .name = "m" + std::to_string(i),
                            .spans = {{.from = Duration(i * 10), .to = Duration(i * 10 + 25), .label = "zone a"}},
                            .marks = {{.at = Duration(i * 10 + 25), .kind = Kind::Kill}}});
  const TimelineLayout layout = timeline_layout(report);
  ASSERT_EQ(layout.rows.size(), 1U + 3U);
  EXPECT_EQ(layout.rows[0].note, "30 nodes");
  EXPECT_EQ(layout.lanes_left_out, 0U);
  const ReportLane& row = *layout.rows[1].lane;
  ASSERT_EQ(row.spans.size(), 10U);
  EXPECT_EQ(row.spans[1].label, "m3, zone a");
  EXPECT_EQ(row.marks[1].label, "m3");
  for (std::size_t i = 1; i < row.spans.size(); ++i) EXPECT_LE(row.spans[i - 1].to, row.spans[i].from);
}

TEST(TimelineLayout, thousands_of_nodes_leave_room_for_the_jobs) {
  const RunReport report = testing::huge_report(5000);
  const TimelineLayout layout = timeline_layout(report);
  EXPECT_EQ(layout.rows.back().lane->name, "job");
  EXPECT_EQ(layout.lanes_left_out + layout.rows.size() - 2, 5001U);
  EXPECT_LT(layout.rows.size(), 200U);
}

TEST(ProgressCurve, falls_back_at_each_resume_to_the_step_it_went_on_from) {
  ReportLane lane{.spans = {{.from = Duration(10), .to = Duration(50), .state = ReportSpan::State::Training}},
                  .marks = {{.at = Duration(30), .kind = Kind::Checkpoint, .step = 40},
                            {.at = Duration(40), .kind = Kind::Checkpoint},  // not known how far: no point
                            {.at = Duration(50), .kind = Kind::Notice, .step = 60},
                            {.at = Duration(70), .kind = Kind::Resume, .step = 40},
                            {.at = Duration(100), .kind = Kind::End, .step = 80}}};
  const auto lines = progress_lines(lane, Duration(100));
  ASSERT_EQ(lines.size(), 2U);
  ASSERT_EQ(lines[0].size(), 3U);
  EXPECT_DOUBLE_EQ(lines[0][0].x, 0.1);
  EXPECT_DOUBLE_EQ(lines[0][0].y, 0);
  EXPECT_DOUBLE_EQ(lines[0][2].y, 0.75);
  EXPECT_DOUBLE_EQ(lines[1][0].x, 0.7);
  EXPECT_DOUBLE_EQ(lines[1][0].y, 0.5);
  EXPECT_DOUBLE_EQ(lines[1][1].y, 1);
}

}  // namespace
}  // namespace reprise::rehearsal
