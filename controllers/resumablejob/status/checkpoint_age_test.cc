// CheckpointReady while an attempt runs: does its trainer still save?
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using controllers::testing::to_next_attempt;
using protocol::RankActivity;
using std::chrono::minutes;
using std::chrono::seconds;

void trains(JobWorld& world, std::optional<std::int64_t> saved = {}, std::int32_t attempt = 1) {
  protocol::LiveReport said{.attempt = attempt, .activity = RankActivity::Training};
  if (saved) said.checkpoint = protocol::ReportedCheckpoint{.step = *saved, .path = {}, .age_seconds = 0};
  world.report("fit-" + std::to_string(attempt) + "-0", said);
  world.settle();
}

// Saves each 10 minutes, as its specification says; the rank has just begun to train.
JobWorld training_job() {
  JobWorld world = running_job(1, [](api::ResumableJob& job) { job.spec.checkpoint.period_seconds = 600; });
  trains(world);
  return world;
}

JobWorld overdue_job() {
  JobWorld world = training_job();
  world.now_ += minutes(31);
  trains(world);
  EXPECT_EQ(world.state("CheckpointReady"), "False/Overdue");
  return world;
}

std::size_t events(const JobWorld& world) {
  return static_cast<std::size_t>(std::ranges::count(world.announced_, "CheckpointOverdue", &Announcement::reason));
}

TEST(CheckpointAge, three_periods_without_a_checkpoint_are_too_many) {
  JobWorld world = training_job();
  EXPECT_EQ(world.state("CheckpointReady"), "Unknown/NoRecord");
  EXPECT_EQ(world.reconcile().wake_at, world.now_ + minutes(30) + seconds(1)) << "nothing else may happen by then";
  world.now_ += minutes(30);
  trains(world);
  EXPECT_EQ(world.state("CheckpointReady"), "Unknown/NoRecord");
  world.now_ += seconds(1);
  world.settle();
  EXPECT_EQ(world.state("CheckpointReady"), "False/Overdue");
  EXPECT_EQ(
      world.condition("CheckpointReady").message,
      "no newer checkpoint since 2026-11-21T09:00:00Z, and spec.checkpoint.periodSeconds is 600: does the trainer "
      "still save? See its log");
}

TEST(CheckpointAge, is_announced_once_and_written_once) {
  JobWorld world = overdue_job();
  const auto before = world.status().conditions;
  world.now_ += minutes(10);
  trains(world);
  EXPECT_EQ(world.status().conditions, before);
  EXPECT_EQ(events(world), 1);
}

TEST(CheckpointAge, a_newer_checkpoint_ends_it_and_the_next_delay_is_announced_again) {
  JobWorld world = overdue_job();
  trains(world, 700);
  world.now_ += seconds(30);
  world.settle();
  EXPECT_EQ(world.state("CheckpointReady"), "True/Reported");
  world.now_ += minutes(31);
  trains(world, 700);
  EXPECT_EQ(world.state("CheckpointReady"), "False/Overdue");
  EXPECT_EQ(events(world), 2);
}

TEST(CheckpointAge, of_a_rank_that_is_silent_is_not_known) {
  JobWorld world = training_job();
  world.now_ += minutes(40);
  world.settle();
  EXPECT_EQ(world.state("CheckpointReady"), "Unknown/NoRecord") << "it may well save";
  EXPECT_EQ(events(world), 0);
  trains(world);
  EXPECT_EQ(world.state("CheckpointReady"), "False/Overdue");
}

TEST(CheckpointAge, of_a_gang_is_what_a_rank_says_that_is_not_silent) {
  JobWorld world = running_job(2, [](api::ResumableJob& job) { job.spec.checkpoint.period_seconds = 600; });
  const auto says = [&](std::int32_t index, std::int64_t saved) {
    world.report("fit-1-" + std::to_string(index),
                 {.attempt = 1,
                  .index = index,
                  .activity = RankActivity::Training,
                  .checkpoint = protocol::ReportedCheckpoint{.step = saved, .path = {}, .age_seconds = 0}});
  };
  says(0, 100);
  for (std::int64_t saved = 100; saved <= 500; saved += 100) {
    says(1, saved);
    world.settle();
    world.now_ += minutes(10);
  }
  EXPECT_EQ(world.state("CheckpointReady"), "Unknown/NoRecord") << "rank 0 reports no more, and rank 1 does";
  EXPECT_EQ(world.status().progress->checkpoint->step, 500);
}

TEST(CheckpointAge, is_nothing_to_speak_of_when_the_attempt_is_over) {
  JobWorld interrupted = overdue_job();
  interrupted.delete_node_claim("node-of-fit-1-0");
  interrupted.settle();
  EXPECT_EQ(interrupted.state("CheckpointReady"), "Unknown/NoRecord");
  to_next_attempt(interrupted);
  interrupted.schedule_all();
  interrupted.settle();
  EXPECT_EQ(interrupted.state("CheckpointReady"), "Unknown/NoRecord") << "training began just now";

  JobWorld finished = overdue_job();
  finished.exit("fit-1-0", 0, R"({"attempt":1,"index":0,"exitCode":0,"finished":true})");
  finished.settle();
  ASSERT_EQ(finished.state("Complete"), "True/NothingTrained");
  EXPECT_EQ(finished.state("CheckpointReady"), "Unknown/NoRecord");
}

TEST(CheckpointAge, what_a_record_says_stands_again) {
  JobWorld world = overdue_job();
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.stop_deleted(143, R"({"attempt":1,"index":0,"step":120,"path":"step-120","durable":true,"exitCode":143})");
  world.settle();
  EXPECT_EQ(world.state("CheckpointReady"), "True/Verified");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
