// spec.placement.completeBy: which capacity an attempt asks for, and what OnSchedule says.
#include "controllers/resumablejob/steps/schedule.h"

#include <gtest/gtest.h>

#include "controllers/resumablejob/pods/pod_builder.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::kStart;
using controllers::testing::MakeJob;
using controllers::testing::MakePool;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

void add_on_demand(JobWorld& world) {
  world.pool_ =
      MakePool("t4")
          .with([](api::GpuPool& pool) { pool.spec.capacity.push_back({.type = api::CapacityType::OnDemand}); })
          .get();
}

// Ten hours of work until `deadline` after the start.
JobWorld ten_hours_of_work(std::chrono::seconds deadline, auto&& change) {
  JobWorld world(MakeJob("fit")
                     .with([&](api::ResumableJob& job) {
                       job.spec.placement.emplace();
                       job.spec.placement->complete_by = kStart + deadline;
                       job.spec.placement->estimated_seconds = 36'000;
                       change(job);
                     })
                     .get());
  add_on_demand(world);
  world.settle();
  return world;
}
JobWorld ten_hours_of_work(std::chrono::seconds deadline) {
  return ten_hours_of_work(deadline, [](auto&) {});
}

std::string requested(const JobWorld& world) {
  return world.status().placement ? std::string(world.status().placement->requested) : "nothing";
}

void run(JobWorld& world) {
  world.settle();
  world.schedule_all();
  world.settle();
}

TEST(CompleteBy, far_away_lets_an_attempt_wait_for_spot) {
  JobWorld world = ten_hours_of_work(hours(20));
  EXPECT_EQ(requested(world), "Spot");
  EXPECT_EQ(world.state("OnSchedule"), "True/InTime");
  EXPECT_EQ(world.reconcile().wake_at, kStart + hours(10) - 2 * kChangeover);
}

TEST(CompleteBy, has_an_attempt_ask_for_on_demand_capacity_when_spot_has_not_come_in_time) {
  JobWorld world = ten_hours_of_work(hours(20));
  ASSERT_TRUE(world.has_pod("fit-1-0"));
  world.now_ = kStart + hours(10) - 2 * kChangeover - seconds(1);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  world.now_ += seconds(1);
  world.settle();
  ASSERT_TRUE(world.status().last_end);
  EXPECT_EQ(world.status().last_end->reason, "ScheduleChanged");
  world.now_ += minutes(1);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(requested(world), "OnDemand");
  EXPECT_EQ(world.state("OnSchedule"), "True/NeedsOnDemand");
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(std::ranges::count(world.announced_, "DeadlineAtRisk", &Announcement::reason), 1);
}

TEST(CompleteBy, that_nothing_can_reach_any_more_takes_what_comes_first) {
  JobWorld world = ten_hours_of_work(hours(10) + minutes(20));
  ASSERT_EQ(requested(world), "OnDemand");
  world.now_ += minutes(10);
  world.settle();
  world.now_ += minutes(1);
  world.settle();
  EXPECT_EQ(requested(world), "");
  EXPECT_EQ(world.state("OnSchedule"), "False/Late");
}

TEST(CompleteBy, leaves_alone_what_has_a_node) {
  JobWorld world = ten_hours_of_work(hours(20));
  run(world);
  ASSERT_EQ(world.state("PodsReady"), "True/Started");
  world.now_ += hours(10);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_FALSE(world.status().attempt_end);
}

TEST(CompleteBy, asks_for_nothing_where_there_is_no_choice) {
  struct Row {
    const char* where;
    void (*change)(api::ResumableJob&);
  };
  const Row table[] = {
      {"a job that may use spot alone",
       [](auto& job) { job.spec.placement->capacity = api::PlacementCapacity::SpotOnly; }},
      {"a job on demand", [](auto& job) { job.spec.placement->capacity = api::PlacementCapacity::OnDemandOnly; }},
      {"a job of which nobody knows how long it takes",
       [](auto& job) { job.spec.placement->estimated_seconds.reset(); }},
      {"a job without a deadline", [](auto& job) { job.spec.placement->complete_by.reset(); }},
      {"a job in a queue", [](auto& job) { job.meta.labels["kueue.x-k8s.io/queue-name"] = "gpus"; }},
  };
  for (const Row& row : table) {
    JobWorld world = ten_hours_of_work(hours(11), row.change);
    EXPECT_TRUE(requested(world).empty() || requested(world) == "nothing") << row.where;
  }
  JobWorld world(MakeJob("fit")
                     .with([](api::ResumableJob& job) {
                       job.spec.placement.emplace();
                       job.spec.placement->complete_by = kStart + hours(11);
                       job.spec.placement->estimated_seconds = 36'000;
                     })
                     .get());
  world.settle();
  EXPECT_EQ(requested(world), "nothing") << "a pool of spot alone";
}

// The job would hold what it gets of that capacity, and pay, until the deadline is at risk.
TEST(CompleteBy, asks_for_no_capacity_on_which_the_gang_never_fits_alone) {
  const auto asked_by = [](std::int32_t spot, std::int32_t on_demand, std::chrono::seconds deadline) {
    JobWorld world(MakeJob("fit")
                       .parallelism(6)
                       .with([&](api::ResumableJob& job) {
                         job.spec.placement.emplace();
                         job.spec.placement->complete_by = kStart + deadline;
                         job.spec.placement->estimated_seconds = 36'000;
                       })
                       .get());
    world.pool_ = MakePool("t4")
                      .with([&](api::GpuPool& pool) {
                        pool.spec.capacity.front().max_gpus = spot;
                        pool.spec.capacity.push_back({.type = api::CapacityType::OnDemand, .max_gpus = on_demand});
                      })
                      .get();
    world.settle();
    EXPECT_EQ(world.pods().size(), 6U);
    return requested(world);
  };
  EXPECT_EQ(asked_by(4, 4, hours(20)), "nothing");
  EXPECT_EQ(asked_by(8, 4, hours(20)), "Spot");
  EXPECT_EQ(asked_by(8, 4, hours(10) + minutes(20)), "nothing");
  EXPECT_EQ(asked_by(4, 8, hours(10) + minutes(20)), "OnDemand");
}

TEST(CompleteBy, takes_what_is_left_from_what_the_ranks_say_and_adds_the_steps_that_are_in_no_checkpoint) {
  JobWorld world = ten_hours_of_work(hours(20));
  run(world);
  world.now_ += hours(2);
  world.report("fit-1-0", {.attempt = 1,
                           .activity = protocol::RankActivity::Training,
                           .checkpoint = protocol::ReportedCheckpoint{.step = 3'600, .path = "step-3600"},
                           .progress = protocol::ReportedProgress{
                               .step = 7'200, .remaining_seconds = 28'800, .steps_per_second = "1.0"}});
  world.settle();
  EXPECT_EQ(world.state("OnSchedule"), "True/InTime");
  EXPECT_NE(world.condition("OnSchedule").message.find("2026-11-21T19:00:00Z"), std::string::npos)
      << world.condition("OnSchedule").message;
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  const Schedule waiting =
      schedule_of({.job = std::make_shared<const api::ResumableJob>(world.job_), .now = world.now_}, world.status());
  EXPECT_EQ(waiting.work_left, seconds(28'800 + 3'600));
}

TEST(CompleteBy, counts_the_steps_again_that_a_record_takes_back) {
  JobWorld world = ten_hours_of_work(hours(20));
  run(world);
  world.now_ += hours(2);
  world.report("fit-1-0",
               {.attempt = 1,
                .activity = protocol::RankActivity::Training,
                .progress = protocol::ReportedProgress{
                    .step = 7'200, .percentage = 20, .remaining_seconds = 28'800, .steps_per_second = "1.0"}});
  world.settle();
  world.exit("fit-1-0", 85,
             R"({"attempt":1,"index":0,"exitCode":85,"durable":true,"step":3600,"path":"step-3600",)"
             R"("checkpointTime":"2026-11-21T10:00:00Z"})");
  world.settle();
  EXPECT_EQ(world.status().progress->step, 3'600);
  EXPECT_EQ(world.status().progress->percentage, 10);
  EXPECT_EQ(world.status().progress->estimated_remaining_seconds, 28'800 + 3'600);
}

TEST(CompleteBy, of_a_job_that_always_begins_anew_is_reckoned_with_all_of_the_work) {
  JobWorld world = ten_hours_of_work(hours(20), [](auto& job) { job.spec.resume = api::ResumePolicy::Never; });
  run(world);
  world.now_ += hours(9) + minutes(37);
  world.report("fit-1-0", {.attempt = 1,
                           .activity = protocol::RankActivity::Training,
                           .progress = protocol::ReportedProgress{.step = 9, .remaining_seconds = 3'600}});
  world.settle();
  world.delete_node_claim("node-of-fit-1-0");
  controllers::testing::to_next_attempt(world);
  EXPECT_EQ(requested(world), "OnDemand") << "ten hours of work in less than eleven";
}

TEST(CompleteBy, that_has_passed_is_not_met_by_what_still_runs) {
  JobWorld world = ten_hours_of_work(hours(20));
  run(world);
  EXPECT_EQ(world.reconcile().wake_at, kStart + hours(20) + seconds(1));
  world.now_ += hours(30);
  world.settle();
  EXPECT_EQ(world.state("OnSchedule"), "False/Late");
}

TEST(CompleteBy, is_reckoned_with_what_the_last_start_took_and_not_with_what_it_waited) {
  JobWorld world = ten_hours_of_work(hours(40));
  world.now_ += hours(8);  // no spot
  world.schedule_all();
  world.settle();
  EXPECT_EQ(longest_changeover(world.status()), kChangeover);
  api::ResumableJobStatus slow = world.status();
  slow.start_seconds = 1'800;
  EXPECT_EQ(longest_changeover(slow), minutes(34));
}

TEST(CompleteBy, has_a_gang_ask_anew_of_which_one_rank_waits_for_spot) {
  JobWorld world = ten_hours_of_work(hours(20), [](auto& job) { job.spec.parallelism = 2; });
  world.run_on("fit-1-0", "node-a");
  world.now_ = kStart + hours(10) - 2 * kChangeover;
  world.settle();
  ASSERT_TRUE(world.status().attempt_end || world.status().last_end);
  controllers::testing::to_next_attempt(world);
  EXPECT_EQ(requested(world), "OnDemand");
}

TEST(CompleteBy, says_nothing_of_spot_where_there_is_no_choice) {
  JobWorld world =
      ten_hours_of_work(hours(11), [](auto& job) { job.spec.placement->capacity = api::PlacementCapacity::SpotOnly; });
  EXPECT_EQ(world.state("OnSchedule"), "True/InTime");
  EXPECT_EQ(world.condition("OnSchedule").message.find("spot"), std::string::npos);
}

TEST(CompleteBy, without_reports_counts_what_ended_attempts_have_saved) {
  JobWorld world = ten_hours_of_work(hours(20));
  run(world);
  world.now_ += hours(4);
  world.exit("fit-1-0", 85,
             R"({"attempt":1,"index":0,"exitCode":85,"durable":true,"step":12,"path":"step-12",)"
             R"("checkpointTime":"2026-11-21T12:00:00Z"})");
  world.settle();
  EXPECT_EQ(world.status().trained_seconds, 3 * 3600);
  const Schedule waiting =
      schedule_of({.job = std::make_shared<const api::ResumableJob>(world.job_), .now = world.now_}, world.status());
  EXPECT_EQ(waiting.work_left, hours(7));
}

TEST(CompleteBy, counts_nothing_for_an_attempt_that_has_saved_nothing) {
  for (const char* time : {"2026-11-21T08:00:00Z", "2027-11-21T08:00:00Z"}) {
    JobWorld world = ten_hours_of_work(hours(20));
    run(world);
    world.now_ += hours(4);
    world.exit("fit-1-0", 85,
               R"({"attempt":1,"index":0,"exitCode":85,"durable":true,"step":12,"resumedFromStep":12,"path":"step-12",)"
               R"("checkpointTime":")" +
                   std::string(time) + "\"}");
    world.settle();
    EXPECT_FALSE(world.status().trained_seconds) << "of before, or by a clock that is a year ahead: " << time;
  }
}

TEST(CompleteBy, of_an_attempt_that_runs_too_slowly_says_so) {
  JobWorld world = ten_hours_of_work(hours(20));
  run(world);
  world.report("fit-1-0", {.attempt = 1,
                           .activity = protocol::RankActivity::Training,
                           .progress = protocol::ReportedProgress{.step = 1, .remaining_seconds = 80'000}});
  world.settle();
  EXPECT_EQ(world.state("OnSchedule"), "False/Late");
  EXPECT_FALSE(world.status().attempt_end) << "no other capacity makes it faster";
}

TEST(CompleteBy, is_judged_for_good_when_the_job_ends) {
  for (const bool in_time : {true, false}) {
    JobWorld world = ten_hours_of_work(hours(20));
    run(world);
    world.now_ += in_time ? hours(20) : hours(21);
    world.exit("fit-1-0", 0);
    world.settle();
    EXPECT_EQ(world.state("OnSchedule"), in_time ? "True/CompleteInTime" : "False/CompleteLate");
  }
}

TEST(CompleteBy, while_an_attempt_waits_or_runs_writes_nothing) {
  JobWorld world = ten_hours_of_work(hours(20));
  for (int round = 0; round < 2; ++round) {
    const api::ResumableJobStatus before = world.status();
    world.now_ += hours(3);
    world.settle();
    EXPECT_EQ(world.status(), before) << (round == 0 ? "waiting" : "running");
    if (round == 0) run(world);
  }
}

TEST(CompleteBy, chooses_the_nodes_of_ranks_and_of_the_standby_for_the_next_attempt) {
  JobWorld world = ten_hours_of_work(hours(20));
  const auto job = std::make_shared<const api::ResumableJob>(world.job_);
  Observation seen{.job = job, .pool = world.pool_, .now = world.now_};
  EXPECT_EQ(build_rank_pod(seen, {}, world.status(), 0).node_selector.at("karpenter.sh/capacity-type"), "spot");
  seen.now = kStart + hours(10) - 2 * kChangeover;
  EXPECT_EQ(build_rank_pod(seen, {}, world.status(), 0).node_selector.at("karpenter.sh/capacity-type"), "spot");
  run(world);
  world.now_ = seen.now;
  world.delete_node_claim("node-of-fit-1-0");
  const Plan plan = world.reconcile();
  const auto made = std::ranges::find_if(
      plan.actions, [](const Action& action) { return std::holds_alternative<CreatePod>(action); });
  ASSERT_NE(made, plan.actions.end()) << "a standby pod";
  EXPECT_EQ(std::get<CreatePod>(*made).pod_builder.node_selector.at("karpenter.sh/capacity-type"), "on-demand");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
