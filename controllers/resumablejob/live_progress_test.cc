// status.progress while an attempt runs.
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using protocol::LiveReport;
using protocol::RankActivity;
using std::chrono::seconds;

LiveReport training(std::int64_t step, std::int32_t index = 0) {
  return {.attempt = 1,
          .index = index,
          .activity = RankActivity::Training,
          .checkpoint = protocol::ReportedCheckpoint{.step = step / 100 * 100,
                                                     .path = "checkpoint-" + std::to_string(step / 100 * 100),
                                                     .save_seconds = 9,
                                                     .age_seconds = 20},
          .progress = protocol::ReportedProgress{.step = step,
                                                 .total_steps = 1000,
                                                 .percentage = static_cast<std::int32_t>(step / 10),
                                                 .remaining_seconds = 1000 - step,
                                                 .steps_per_second = "1.0"}};
}

const api::ProgressStatus& progress_of(const JobWorld& world) {
  return *world.status().progress;
}

TEST(LiveProgress, is_what_the_rank_says) {
  JobWorld world = running_job();
  world.report("fit-1-0", training(250));
  world.settle();
  const api::ProgressStatus& progress = progress_of(world);
  EXPECT_EQ(progress.step, 250);
  EXPECT_EQ(progress.percentage, 25);
  EXPECT_EQ(progress.estimated_remaining_seconds, 750);
  EXPECT_EQ(progress.steps_per_second, "1.0");
  EXPECT_EQ(progress.activity, "Training");
  EXPECT_EQ(progress.checkpoint->step, 200);
  EXPECT_EQ(progress.checkpoint->time, world.now_ - seconds(20));
  EXPECT_EQ(progress.checkpoint->save_seconds, 9);
  EXPECT_EQ(progress.last_updated_time, world.now_);
}

TEST(LiveProgress, is_not_what_the_next_attempt_has_to_find) {
  JobWorld world = running_job();
  world.report("fit-1-0", training(250));
  world.settle();
  EXPECT_FALSE(world.status().checkpoint) << "what was overwritten since would be a lost checkpoint";
}

TEST(LiveProgress, is_written_every_thirty_seconds_and_only_where_it_says_something_new) {
  JobWorld world = running_job();
  world.report("fit-1-0", training(100));
  world.settle();
  world.now_ += seconds(29);
  world.report("fit-1-0", training(129));
  world.settle();
  EXPECT_EQ(progress_of(world).step, 100);
  world.now_ += seconds(1);
  world.report("fit-1-0", training(130));
  world.settle();
  EXPECT_EQ(progress_of(world).step, 130);
  const auto written = progress_of(world).last_updated_time;
  world.now_ += seconds(60);
  LiveReport same = training(130);
  same.checkpoint->age_seconds += 61;
  world.report("fit-1-0", same);
  world.settle();
  EXPECT_EQ(progress_of(world).last_updated_time, written);
}

TEST(LiveProgress, the_time_of_a_checkpoint_stays_as_it_was_first_said) {
  JobWorld world = running_job();
  world.report("fit-1-0", training(210));
  world.settle();
  const auto first = progress_of(world).checkpoint->time;
  world.now_ += seconds(31);
  world.report("fit-1-0", training(250));
  world.settle();
  EXPECT_EQ(progress_of(world).step, 250);
  EXPECT_EQ(progress_of(world).checkpoint->time, first);
}

TEST(LiveProgress, of_a_gang_is_told_what_the_slowest_waits_for) {
  JobWorld world = running_job(2);
  world.report("fit-1-0", {.attempt = 1, .index = 0, .activity = RankActivity::Restoring});
  world.report("fit-1-1", {.attempt = 1,
                           .index = 1,
                           .activity = RankActivity::WaitingForPeer,
                           .message = "rank 0 has not said what to load"});
  world.settle();
  EXPECT_EQ(progress_of(world).activity, "Restoring");
  world.now_ += seconds(30);
  world.report("fit-1-0", training(10));
  world.settle();
  EXPECT_EQ(progress_of(world).activity, "WaitingForPeer");
  EXPECT_EQ(progress_of(world).message, "rank 0 has not said what to load");
}

TEST(LiveProgress, of_an_attempt_that_has_ended_nothing_goes_on) {
  JobWorld world = running_job();
  world.report("fit-1-0", training(250));
  world.settle();
  world.exit("fit-1-0", 85,
             R"({"attempt":1,"index":0,"exitCode":85,"step":200,"path":"checkpoint-200","durable":true,)"
             R"("checkpointTime":"2026-06-12T10:00:00Z"})");
  world.settle();
  EXPECT_EQ(progress_of(world).activity, "");
  EXPECT_EQ(progress_of(world).checkpoint->step, 200);
  EXPECT_EQ(progress_of(world).checkpoint->time, kube::parse_time("2026-06-12T10:00:00Z")) << "the record is the truth";
  EXPECT_EQ(world.status().checkpoint->step, 200);
}

TEST(LiveProgress, what_an_earlier_attempt_says_late_is_passed_over) {
  JobWorld world = running_job();
  LiveReport late = training(250);
  late.attempt = 7;
  world.report("fit-1-0", late);
  world.settle();
  EXPECT_FALSE(world.status().progress);
}

TEST(LiveReports, pods_are_told_where_to_report_and_bring_a_token_for_that_alone) {
  JobWorld world(controllers::testing::MakeJob("fit").get());
  world.report_to_ = std::make_shared<const reports::ReportTarget>(
      reports::ReportTarget{.url = "https://10.96.0.12:9446", .certificate_pem = "PEM"});
  api::PodBuilder built;
  for (int pass = 0; pass < 5; ++pass) {
    for (const Action& action : world.reconcile().actions) {
      if (const auto* create = std::get_if<CreatePod>(&action)) built = create->pod_builder;
    }
  }
  const auto value_of = [&](std::string_view name) -> std::string {
    for (const api::EnvVar& each : built.env) {
      if (each.name == name) return each.value;
    }
    return "unset";
  };
  EXPECT_EQ(value_of(protocol::kReportUrl), "https://10.96.0.12:9446");
  EXPECT_EQ(value_of(protocol::kReportCa), "PEM");
  EXPECT_EQ(value_of(protocol::kReportTokenFile), "/reprise-podinfo/token");
  EXPECT_EQ(built.report_audience, protocol::kReportAudience);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
