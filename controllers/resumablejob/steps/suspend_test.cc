// A suspend: the things that it stops, and those that it does not lift.
#include <gtest/gtest.h>

#include <string>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;

void start(JobWorld& world) {
  world.settle();
  world.schedule_all();
  world.settle();
}

void suspend(JobWorld& world, bool suspended) {
  world.job_.spec.suspend = suspended;
  ++world.job_.meta.generation;
  world.settle();
  world.stop_deleted(143);
  world.settle();
}

void interrupt(JobWorld& world, const std::string& pod) {
  world.delete_node_claim("node-of-" + pod);
  world.settle();
  world.stop_deleted(143);
  world.settle();
}

TEST(Suspend, stops_the_clock_of_the_active_deadline_and_resuming_sets_it_anew_as_batch_jobs_have_it) {
  JobWorld world(MakeJob("fit").with([](auto& j) { j.spec.active_deadline_seconds = 60; }).get());
  start(world);
  world.now_ += std::chrono::seconds(50);
  suspend(world, true);
  EXPECT_EQ(world.state("Suspended"), "True/Suspended");
  EXPECT_FALSE(world.status().start_time);
  world.now_ += std::chrono::hours(5);
  world.settle();
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
  suspend(world, false);
  start(world);
  EXPECT_EQ(world.status().start_time, world.now_);
  world.now_ += std::chrono::seconds(59);
  world.settle();
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
  world.now_ += std::chrono::seconds(1);
  world.settle();
  EXPECT_EQ(world.status().attempt_end->reason, "DeadlineExceeded");
}

TEST(Suspend, of_a_job_between_two_attempts_keeps_it_from_failing_by_its_deadline) {
  JobWorld world(MakeJob("fit").with([](auto& j) { j.spec.active_deadline_seconds = 60; }).get());
  start(world);
  world.exit("fit-1-0", 1);
  world.settle();
  ASSERT_EQ(world.state("PodsReady"), "False/WaitForRecovery");
  world.job_.spec.suspend = true;
  world.now_ += std::chrono::hours(1);
  world.settle();
  EXPECT_EQ(world.state("Suspended"), "True/Suspended");
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
}

TEST(Suspend, and_its_end_do_not_lift_the_interruption_limit) {
  JobWorld world(MakeJob("fit").with([](auto& j) { j.spec.interruption.limit = 1; }).get());
  start(world);
  interrupt(world, "fit-1-0");
  ASSERT_EQ(world.state("Suspended"), "True/InterruptionLimitReached");
  suspend(world, true);
  EXPECT_EQ(world.state("Suspended"), "True/Suspended");
  suspend(world, false);
  EXPECT_EQ(world.state("Suspended"), "True/InterruptionLimitReached");
  EXPECT_EQ(world.state("PodsReady"), "False/Suspended");
  EXPECT_EQ(world.status().attempt, 1);
  world.job_.spec.interruption.limit = 2;
  start(world);
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Suspend, at_the_interruption_limit_stops_the_clock_of_the_active_deadline_too) {
  JobWorld world(MakeJob("fit")
                     .with([](auto& j) {
                       j.spec.interruption.limit = 1;
                       j.spec.active_deadline_seconds = 60;
                     })
                     .get());
  start(world);
  interrupt(world, "fit-1-0");
  world.now_ += std::chrono::hours(5);
  world.settle();
  EXPECT_EQ(world.state("Suspended"), "True/InterruptionLimitReached");
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
}

// Its pods are rejected one after the other: it waits.
JobWorld rejected_four_times() {
  JobWorld world(MakeJob("fit").get());
  for (int attempt = 1; attempt <= 4; ++attempt) {
    world.settle();
    const std::string pod = "fit-" + std::to_string(attempt) + "-0";
    world.run_on(pod, "node-a");
    world.lose_containers(pod, "OutOfcpu", "Pod was rejected: Node didn't have enough resource: cpu");
    world.settle();
    if (attempt < 4) world.now_ = *world.status().retry_after;
  }
  return world;
}

TEST(Suspend, and_its_end_have_a_job_that_pauses_tried_at_once) {
  JobWorld world = rejected_four_times();
  ASSERT_EQ(world.status().attempt, 4);
  suspend(world, true);
  EXPECT_FALSE(world.status().retry_after);
  suspend(world, false);
  EXPECT_EQ(world.status().attempt, 5);
}

// Two commands of a script follow each other faster than the operator looks.
TEST(Suspend, and_its_end_between_two_looks_have_a_job_that_pauses_tried_at_once) {
  JobWorld world = rejected_four_times();
  world.settle();
  ASSERT_EQ(world.status().attempt, 4);
  world.job_.meta.generation += 2;
  world.settle();
  EXPECT_EQ(world.status().attempt, 5);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
