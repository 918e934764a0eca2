// Attempts whose machines are taken before their trainers had time for anything say nothing of the trainer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "controllers/testing/job_world.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::admitted_job;
using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using controllers::testing::running_job;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::Field;
using ::testing::Not;

constexpr seconds kThirdOfAPeriod{200};  // the default period is 600

std::string pod_of(const JobWorld& world) {
  return "fit-" + std::to_string(world.status().attempt) + "-0";
}

// A trainer with nothing left to do is given step 50 and ends; asked, as it is by then, with 0 as with any other code.
std::string brought_nothing(int code) {
  return R"({"attempt":1,"index":0,"exitCode":)" + std::to_string(code) +
         R"(,"asked":true,"step":50,"durable":true,"resumedFromStep":50})";
}

void begin_next(JobWorld& world) {
  world.now_ += std::chrono::minutes(10);  // longer than any pause
  world.settle();
  world.schedule_all();
  world.settle();
}

void take_machine(JobWorld& world, seconds after = seconds(5), int code = 0) {
  world.now_ += after;
  world.delete_node_claim("node-of-" + pod_of(world));
  world.settle();
  world.stop_deleted(code, brought_nothing(code));
  world.settle();
}

// Reports no save.
void report_training(JobWorld& world) {
  world.report(pod_of(world), {.attempt = world.status().attempt, .activity = protocol::RankActivity::Training});
}

void hang(JobWorld& world) {
  world.exit(pod_of(world), 88,
             R"({"attempt":1,"index":0,"exitCode":88,"reason":"Hung","durable":true,"resumedFromStep":50,"step":50})");
  world.settle();
}

TEST(CutShort, three_in_a_row_wait_longer_and_do_not_call_a_trainer_stalled_that_had_nothing_left_to_do) {
  for (const int code : {0, 143}) {
    JobWorld world = running_job();
    for (int attempt = 1; attempt <= 4; ++attempt) {
      take_machine(world, seconds(5), code);
      EXPECT_EQ(world.state("Stalled"), "False/Progressing") << attempt;
      EXPECT_EQ(world.status().retry_after.has_value(), attempt >= 3) << attempt;
      begin_next(world);
    }
    EXPECT_THAT(world.announced_, Not(Contains(Field(&Announcement::reason, "NoProgress"))));
    world.exit(pod_of(world), 0);
    world.settle();
    EXPECT_EQ(world.state("Complete"), "True/Completed");
  }
}

TEST(CutShort, is_not_an_attempt_that_had_a_third_of_the_time_in_which_a_save_is_due) {
  for (const seconds trained : {kThirdOfAPeriod - seconds(1), kThirdOfAPeriod}) {
    JobWorld world = running_job();
    for (int attempt = 1; attempt <= 3; ++attempt) {
      if (attempt > 1) begin_next(world);
      take_machine(world, trained, 143);
    }
    EXPECT_EQ(world.state("Stalled"), trained < kThirdOfAPeriod ? "False/Progressing" : "True/NoProgress");
  }
}

// Such attempts bring nothing, whosever fault that is, and each has cost a machine.
TEST(CutShort, ten_in_a_row_are_called_stalled) {
  JobWorld world = running_job();
  for (int attempt = 1; attempt <= 10; ++attempt) {
    take_machine(world);
    EXPECT_EQ(world.state("Stalled") == "True/NoProgress", attempt == 10) << attempt;
    begin_next(world);
  }
  EXPECT_THAT(world.announced_, Contains(Field(&Announcement::reason, "NoProgress")));
}

TEST(CutShort, three_others_in_the_same_row_are_called_stalled) {
  JobWorld world = running_job();
  for (int attempt = 1; attempt <= 5; ++attempt) {
    if (attempt % 2 == 1)
      hang(world);
    else
      take_machine(world);
    EXPECT_EQ(world.state("Stalled") == "True/NoProgress", attempt == 5) << attempt;
    begin_next(world);
  }
}

TEST(CutShort, a_newer_step_begins_another_row) {
  JobWorld world = running_job();
  for (int attempt = 1; attempt <= 2; ++attempt) {
    take_machine(world);
    begin_next(world);
  }
  EXPECT_EQ(world.status().attempts_cut_short, 2);
  world.exit(pod_of(world), 85,
             R"({"attempt":3,"index":0,"exitCode":85,"step":60,"durable":true,"resumedFromStep":50})");
  world.settle();
  EXPECT_EQ(world.status().attempts_cut_short, 0);
  EXPECT_EQ(world.status().attempts_without_progress, 0);
}

TEST(CutShort, before_a_container_ran_the_machine_s_loss_is_no_sign_either) {
  JobWorld world(MakeJob("fit").get());
  for (int attempt = 1; attempt <= 4; ++attempt) {
    world.settle();
    world.run_on(pod_of(world), "node-of-" + pod_of(world));
    world.pods_.at(pod_of(world)).phase = kube::PodPhase::Pending;
    world.pods_.at(pod_of(world)).container_statuses = {};
    world.pods_.at(pod_of(world)).conditions = {};
    world.settle();
    world.now_ += std::chrono::hours(1);  // the pod pulls its image
    world.remove_node_claim("node-of-" + pod_of(world));
    world.force_remove(pod_of(world));
    world.settle();
    EXPECT_EQ(world.status().attempts_without_progress, attempt);
    EXPECT_EQ(world.state("Stalled"), "False/Progressing") << attempt;
    world.now_ += std::chrono::minutes(10);
  }
}

TEST(CutShort, is_an_attempt_whose_quota_is_taken_at_once) {
  JobWorld world = admitted_job();
  for (int attempt = 1; attempt <= 4; ++attempt) {
    world.evict("Preempted", "Preempted to accommodate a workload");
    world.settle();
    world.stop_deleted(143, brought_nothing(143));
    world.settle();
    EXPECT_EQ(world.status().attempts_without_progress, attempt);
    EXPECT_EQ(world.state("Stalled"), "False/Progressing") << attempt;
    world.admit();
    world.settle();
    world.schedule_all();
    world.settle();
  }
}

// The machine is there: a person has to be told who deletes the pods, or which trainer has its kubelet evict them.
TEST(CutShort, is_no_attempt_whose_machine_stays) {
  JobWorld world = running_job();
  for (int attempt = 1; attempt <= 3; ++attempt) {
    if (attempt > 1) begin_next(world);
    world.pods_.at(pod_of(world)).meta.deletion_timestamp = world.now_;
    world.settle();
    world.stop_deleted(143, brought_nothing(143));
    world.settle();
  }
  EXPECT_EQ(world.state("Stalled"), "True/NoProgress");
}

// No operator led meanwhile: it may have trained all the while.
TEST(CutShort, is_no_attempt_of_which_nobody_knows_since_when_it_trained) {
  JobWorld world(MakeJob("fit").get());
  for (int attempt = 1; attempt <= 3; ++attempt) {
    world.settle();
    world.schedule_all();
    world.now_ += std::chrono::hours(1);
    take_machine(world);
    EXPECT_EQ(world.state("Stalled") == "True/NoProgress", attempt == 3) << attempt;
    world.now_ += std::chrono::minutes(10);
  }
}

// An earlier operator says that all ranks were ready, and not since when.
TEST(CutShort, is_no_attempt_that_an_earlier_operator_saw_ready) {
  JobWorld world = running_job();
  for (int attempt = 1; attempt <= 3; ++attempt) {
    if (attempt > 1) begin_next(world);
    world.job_.status.ready_time.reset();
    take_machine(world);
  }
  EXPECT_EQ(world.state("Stalled"), "True/NoProgress");
}

// The operator saw that the gang was never whole: the other rank waited for its machine all the while.
TEST(CutShort, is_an_attempt_whose_ranks_were_never_ready_together) {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  for (int attempt = 1; attempt <= 4; ++attempt) {
    world.settle();
    world.run_on(pod_of(world), "node-of-" + pod_of(world));
    world.settle();
    ASSERT_EQ(world.state("PodsReady").substr(0, 5), "False");
    for (int i = 0; i < 10; ++i) {
      world.now_ += std::chrono::minutes(1);
      world.settle();
    }
    take_machine(world);
    EXPECT_EQ(world.status().attempts_without_progress, attempt);
    EXPECT_EQ(world.state("Stalled"), "False/Progressing") << attempt;
    world.now_ += std::chrono::minutes(10);
  }
}

TEST(CutShort, is_no_attempt_of_which_a_save_was_reported_before_its_machine_vanished) {
  JobWorld world = running_job();
  for (int attempt = 1; attempt <= 12; ++attempt) {
    world.now_ += seconds(30);
    report_training(world);
    if (attempt % 3 == 0)
      world.report(pod_of(world), {.attempt = attempt,
                                   .activity = protocol::RankActivity::Training,
                                   .checkpoint = protocol::ReportedCheckpoint{.step = attempt, .age_seconds = 5}});
    world.settle();
    world.remove_node_claim("node-of-" + pod_of(world));
    world.force_remove(pod_of(world));
    world.settle();
    EXPECT_EQ(world.status().attempts_cut_short, attempt % 3) << attempt;
    EXPECT_EQ(world.state("Stalled"), "False/Progressing") << attempt;
    begin_next(world);
  }
}

TEST(CutShort, a_job_whose_machines_all_vanish_without_a_word_of_a_save_is_stalled_as_the_tenth) {
  JobWorld world = running_job();
  for (int attempt = 1; attempt <= 10; ++attempt) {
    EXPECT_EQ(world.state("Stalled"), "False/Progressing") << attempt;
    world.now_ += seconds(30);
    report_training(world);
    world.settle();
    world.remove_node_claim("node-of-" + pod_of(world));
    world.force_remove(pod_of(world));
    world.settle();
    begin_next(world);
  }
  EXPECT_EQ(world.state("Stalled"), "True/NoProgress") << world.status().attempts_without_progress;
}

// reports.enabled=false: each trained for hours and saved, and the operator hears of no save.
TEST(CutShort, is_no_attempt_that_trained_for_hours_where_nothing_is_reported) {
  JobWorld world = running_job();
  for (int attempt = 1; attempt <= 10; ++attempt) {
    world.now_ += std::chrono::hours(5);
    world.settle();
    world.remove_node_claim("node-of-" + pod_of(world));
    world.force_remove(pod_of(world));
    world.settle();
    EXPECT_EQ(world.state("Stalled"), "False/Progressing") << attempt;
    EXPECT_FALSE(world.status().retry_after.has_value()) << attempt;
    begin_next(world);
  }
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
