#include "controllers/reports/rank_reports.h"

#include <gtest/gtest.h>

#include <vector>

namespace reprise::controllers::reports {
namespace {

using std::chrono::seconds;

struct RankReportsTest : ::testing::Test {
  RankReportsTest() {
    reports.on_news([this](const runtime::ObjectKey& key) { woken.push_back(to_string(key)); });
  }
  bool take(const std::string& job, const std::string& pod, seconds at, std::int64_t step = 1) {
    return reports.take({"vision", job}, pod, {.attempt = 1, .progress = protocol::ReportedProgress{.step = step}},
                        start + at);
  }
  void gone(const std::string& pod) {
    auto last = std::make_shared<kube::Pod>();
    last->meta.uid = pod;
    reports.on_delete(std::move(last), false);
  }

  kube::Time start = *kube::parse_time("2026-11-25T08:00:00Z");
  RankReports reports;
  std::vector<std::string> woken;
};

TEST_F(RankReportsTest, the_newest_of_each_pod_is_kept) {
  EXPECT_TRUE(take("a", "pod-1", seconds(0), 10));
  EXPECT_TRUE(take("a", "pod-1", seconds(10), 20));
  EXPECT_TRUE(take("a", "pod-2", seconds(10), 19));
  EXPECT_EQ(reports.of("pod-1")->said.progress->step, 20);
  EXPECT_EQ(reports.of("pod-1")->received, start + seconds(10));
  EXPECT_EQ(reports.of("pod-2")->said.progress->step, 19);
  EXPECT_EQ(reports.of("pod-3"), nullptr);
}

TEST_F(RankReportsTest, the_durable_checkpoint_before_the_newest_is_remembered) {
  const auto says = [&](int at, std::int64_t step, bool structure_only = false) {
    reports.take(
        {"vision", "a"}, "pod-1",
        {.attempt = 1,
         .checkpoint = protocol::ReportedCheckpoint{.step = step, .path = {}, .structure_only = structure_only}},
        start + seconds(at));
    const auto& before = reports.of("pod-1")->saved_before;
    return before ? std::optional(before->step) : std::nullopt;
  };
  EXPECT_EQ(says(0, 100), std::nullopt);
  EXPECT_EQ(says(10, 100), std::nullopt);
  EXPECT_EQ(says(20, 200), 100);
  EXPECT_EQ(says(30, 200), 100);
  EXPECT_EQ(says(40, 300, true), 200);
  EXPECT_EQ(says(50, 400), 200) << "nothing has shown that the one before was durable";
}

TEST_F(RankReportsTest, what_a_rank_has_taken_back_is_not_remembered) {
  const auto says = [&](int at, std::optional<std::int64_t> step) {
    protocol::LiveReport said{.attempt = 1};
    if (step) said.checkpoint = protocol::ReportedCheckpoint{.step = *step, .path = {}};
    reports.take({"vision", "a"}, "pod-1", said, start + seconds(at));
    const auto& before = reports.of("pod-1")->saved_before;
    return before ? std::optional(before->step) : std::nullopt;
  };
  says(0, 300);
  EXPECT_EQ(says(10, 400), 300);
  EXPECT_NE(says(20, 300), 400) << "a full read has found it damaged, or the trainer has deleted it";
  EXPECT_NE(says(30, std::nullopt), 400);
}

TEST_F(RankReportsTest, who_has_not_spoken_for_six_intervals_does_not_speak_any_more) {
  EXPECT_FALSE(reports.speaks("pod-1", start));
  take("a", "pod-1", seconds(0));
  EXPECT_TRUE(reports.speaks("pod-1", start + seconds(60)));
  EXPECT_FALSE(reports.speaks("pod-1", start + seconds(61)));
}

TEST_F(RankReportsTest, who_speaks_too_often_is_not_listened_to) {
  EXPECT_TRUE(take("a", "pod-1", seconds(5), 10));
  EXPECT_FALSE(take("a", "pod-1", seconds(5), 11));
  EXPECT_EQ(reports.of("pod-1")->said.progress->step, 10);
  EXPECT_TRUE(take("a", "pod-1", seconds(1), 12)) << "the clock was set back";
}

TEST_F(RankReportsTest, a_job_is_woken_at_once_and_then_no_more_often_than_its_status_is_written) {
  take("a", "pod-1", seconds(0));
  take("a", "pod-2", seconds(1));
  take("b", "pod-3", seconds(2));
  for (int at = 10; at <= 40; at += 10) take("a", "pod-1", seconds(at));
  EXPECT_EQ(woken, (std::vector<std::string>{"vision/a", "vision/b", "vision/a"}));
}

TEST_F(RankReportsTest, nothing_is_kept_of_pods_that_are_gone) {
  take("a", "pod-1", seconds(0));
  take("a", "pod-2", seconds(0));
  gone("pod-1");
  EXPECT_EQ(reports.of("pod-1"), nullptr);
  EXPECT_EQ(reports.size(), 1U);
  gone("pod-2");
  gone("pod-2");
  EXPECT_EQ(reports.size(), 0U);
  take("a", "pod-3", seconds(1));
  EXPECT_EQ(woken.size(), 2U) << "a job of which nothing was left begins anew";
}

TEST(RankReportsPace, many_jobs_write_and_many_pods_report_more_slowly) {
  EXPECT_EQ(status_interval(1), seconds(30));
  EXPECT_EQ(status_interval(10'000), seconds(500));
  EXPECT_EQ(report_interval(1), seconds(10));
  EXPECT_EQ(report_interval(10'000), seconds(100));
}

}  // namespace
}  // namespace reprise::controllers::reports
