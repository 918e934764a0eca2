// "What an end means", row by row: exit code, asked or not, and what follows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "controllers/resumablejob/pods/names.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using controllers::testing::to_next_attempt;

struct End {
  const char* invariant;
  int exit_code;
  bool after_notice;
  std::int32_t attempt, interruptions, failures;
  const char* complete;
};

class Ends : public ::testing::TestWithParam<End> {};

TEST_P(Ends, mean_what_the_design_says) {
  const End& row = GetParam();
  JobWorld world = running_job();
  if (row.after_notice) {
    world.delete_node_claim("node-of-fit-1-0");
    world.settle();
    world.stop_deleted(row.exit_code);
  } else {
    world.exit("fit-1-0", row.exit_code);
  }
  to_next_attempt(world);
  EXPECT_EQ(world.status().attempt, row.attempt) << row.invariant;
  EXPECT_EQ(world.status().interruption_count, row.interruptions) << row.invariant;
  EXPECT_EQ(world.status().failures, row.failures) << row.invariant;
  EXPECT_EQ(world.state("Complete"), row.complete) << row.invariant;
}

INSTANTIATE_TEST_SUITE_P(
    Table, Ends,
    ::testing::Values(End{"0 by itself: complete", 0, false, 1, 0, 0, "True/Completed"},
                      End{"85 by itself: checkpointed, run again", 85, false, 2, 0, 0, "False/NotFinished"},
                      End{"143 by itself: a failure", 143, false, 2, 0, 1, "False/NotFinished"},
                      End{"137 by itself: a failure", 137, false, 2, 0, 1, "False/NotFinished"},
                      End{"1 by itself: a failure", 1, false, 2, 0, 1, "False/NotFinished"},
                      End{"0 after a notice: stopped, resume", 0, true, 2, 1, 0, "False/NotFinished"},
                      End{"85 after a notice: stopped, resume", 85, true, 2, 1, 0, "False/NotFinished"},
                      End{"143 after a notice: stopped, resume", 143, true, 2, 1, 0, "False/NotFinished"},
                      End{"137 after a notice: stopped, resume", 137, true, 2, 1, 0, "False/NotFinished"},
                      End{"1 after a notice: stopped, resume", 1, true, 2, 1, 0, "False/NotFinished"}));

TEST(End, that_is_a_failure_says_what_the_trainer_printed_last) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 1,
             R"({"attempt":1,"index":0,"exitCode":1,"output":"Traceback:\nRuntimeError: CUDA out of memory\n"})");
  world.settle();
  std::string said;
  for (const Announcement& each : world.announced_)
    if (each.reason == "PodFailed") said += each.note;
  EXPECT_THAT(said, ::testing::HasSubstr("exit code 1, after it printed: RuntimeError: CUDA out of memory"));
}

// Seen on a real machine that restarted within seconds: the pod stays, its container is reported so.
TEST(End, of_a_trainer_on_broken_gpus_is_an_interruption_whatever_the_rules_say) {
  JobWorld world = running_job(1, [](api::ResumableJob& job) {
    job.spec.backoff_limit = 0;
    job.spec.pod_failure_rules = {
        {.action = api::FailureAction::FailJob, .on_exit_codes_operator = "In", .on_exit_codes_values = {1}}};
  });
  world.nodes_.at("node-of-fit-1-0").conditions.push_back({"GpuMemWatch", "True", "XID48", "double bit error"});
  world.settle();
  EXPECT_FALSE(world.status().attempt_end) << "by itself it ends nothing";
  world.exit("fit-1-0", 1);
  to_next_attempt(world);
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().last_interruption->reason, "HardwareFailure");
  EXPECT_EQ(world.status().last_interruption->node, "node-of-fit-1-0");
}

TEST(End, on_broken_gpus_that_nobody_takes_away_is_a_failure_the_second_time) {
  JobWorld world = running_job();
  const auto breaks = [&](const std::string& pod) {
    world.nodes_.at("node-a").conditions.push_back({"GpuMemWatch", "True", "XID48", "double bit error"});
    world.settle();
    world.exit(pod, 1);
    to_next_attempt(world);
  };
  world.exit("fit-1-0", 85);
  to_next_attempt(world);
  world.run_on("fit-2-0", "node-a");
  breaks("fit-2-0");
  EXPECT_EQ(world.status().failures, 0);
  world.run_on("fit-3-0", "node-a");
  breaks("fit-3-0");
  EXPECT_EQ(world.status().failures, 1);
}

TEST(End, that_not_even_the_kubelet_knows_is_an_interruption_with_proof) {
  const std::vector<std::pair<std::string, int>> reports{{"Unknown", 255}, {"ContainerStatusUnknown", 137}};
  for (const auto& [reason, exit_code] : reports) {
    JobWorld world = running_job();
    world.exit("fit-1-0", exit_code);
    for (kube::ContainerStatus& status : world.pods_.at("fit-1-0").container_statuses) status.reason = reason;
    world.settle();
    EXPECT_EQ(world.state("Interrupted"), "True/ContainerStatusUnknown");
    world.forget_deleted_pods();
    to_next_attempt(world);
    EXPECT_EQ(world.status().attempt, 2) << reason;
    EXPECT_EQ(world.status().interruption_count, 1) << reason;
    EXPECT_EQ(world.status().failures, 0) << reason;
  }
}

TEST(End, that_not_even_the_kubelet_knows_after_a_notice_is_no_failure_either) {
  JobWorld world = running_job();
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.exit("fit-1-0", 255);
  for (kube::ContainerStatus& status : world.pods_.at("fit-1-0").container_statuses) status.reason = "Unknown";
  to_next_attempt(world);
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().failures, 0);
}

TEST(End, with_255_of_the_trainer_s_own_is_a_failure) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 255);
  to_next_attempt(world);
  EXPECT_EQ(world.status().failures, 1);
}

TEST(End, failures_up_to_the_backoff_limit_retry_with_growing_pauses_then_fail_the_job) {
  JobWorld world = running_job(1, [](auto& j) { j.spec.backoff_limit = 2; });
  for (std::int32_t i = 1; i <= 2; ++i) {
    world.exit_all(1);
    world.settle();
    EXPECT_EQ(world.status().failures, i);
    ASSERT_TRUE(world.status().retry_after);
    EXPECT_EQ(*world.status().retry_after - world.now_, std::chrono::seconds(10 * i));
    world.now_ = *world.status().retry_after;
    world.settle();
    world.schedule_all();
    world.settle();
  }
  world.exit_all(1);
  world.settle();
  EXPECT_EQ(world.state("Failed"), "True/BackoffLimitExceeded");
  EXPECT_EQ(world.state("Stalled"), "True/BackoffLimitExceeded") << "kstatus reads Stalled";
  EXPECT_EQ(world.status().failures, 3);
  world.now_ += std::chrono::hours(1);
  world.settle();
  EXPECT_EQ(world.status().attempt, 3) << "terminal stays terminal";
}

TEST(End, the_user_s_rules_judge_failures) {
  const auto rules = [](api::FailureAction action) {
    return [action](auto& job) {
      api::PodFailureRule rule;
      rule.action = action;
      rule.on_exit_codes_operator = "In";
      rule.on_exit_codes_values = {42};
      job.spec.pod_failure_rules = {rule};
    };
  };
  JobWorld fail = running_job(1, rules(api::FailureAction::FailJob));
  fail.exit_all(42);
  fail.settle();
  EXPECT_EQ(fail.state("Failed"), "True/PodFailurePolicy");

  JobWorld named = running_job(1, [&](auto& job) {
    rules(api::FailureAction::FailJob)(job);
    job.spec.pod_failure_rules[0].on_exit_codes_container = "trainer";
    job.spec.pod_failure_rules[0].name = "bad-data";
  });
  named.exit_all(42);
  named.settle();
  EXPECT_EQ(named.state("Failed"), "True/PodFailurePolicy") << "containerName names the container that trains";
  EXPECT_THAT(named.condition("Failed").message, ::testing::HasSubstr("(spec.podFailurePolicy.rules[0], bad-data)"));

  JobWorld ignore = running_job(1, rules(api::FailureAction::Ignore));
  ignore.exit_all(42);
  to_next_attempt(ignore);
  EXPECT_EQ(ignore.status().attempt, 2);
  EXPECT_EQ(ignore.status().failures, 0);

  JobWorld other = running_job(1, rules(api::FailureAction::FailJob));
  other.exit_all(41);
  to_next_attempt(other);
  EXPECT_EQ(other.status().attempt, 2);
  EXPECT_EQ(other.status().failures, 1);
}

TEST(End, a_trainer_that_asks_not_to_be_run_again_fails_the_job_unless_a_rule_says_otherwise) {
  JobWorld asked = running_job(1);
  asked.exit_all(93);
  asked.settle();
  EXPECT_EQ(asked.state("Failed"), "True/PodFailurePolicy");
  EXPECT_THAT(asked.condition("Failed").message,
              ::testing::HasSubstr("exit code 93: the trainer asks not to be run again"));

  JobWorld ignored = running_job(1, [](auto& job) {
    api::PodFailureRule rule;
    rule.action = api::FailureAction::Ignore;
    rule.on_exit_codes_operator = "In";
    rule.on_exit_codes_values = {93};
    job.spec.pod_failure_rules = {rule};
  });
  ignored.exit_all(93);
  to_next_attempt(ignored);
  EXPECT_EQ(ignored.status().attempt, 2);
}

TEST(End, a_lost_checkpoint_stalls_the_job_until_a_person_speaks) {
  JobWorld world = running_job();
  world.exit(
      "fit-1-0", 86,
      R"({"attempt":1,"index":0,"exitCode":86,"reason":"CheckpointLost","message":"expected step 120, found none"})");
  world.settle();
  world.now_ += std::chrono::hours(2);
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_EQ(world.status().attempt, 1);
  world.job_.spec.resume = api::ResumePolicy::FromScratch;
  world.job_.meta.generation = 2;
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(End, a_job_past_its_active_deadline_fails) {
  JobWorld world = running_job(1, [](auto& j) { j.spec.active_deadline_seconds = 60; });
  EXPECT_EQ(world.reconcile().wake_at, world.now_ + std::chrono::seconds(60));
  world.now_ += std::chrono::seconds(60);
  world.settle();
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.state("Failed"), "True/DeadlineExceeded");
}

// Nobody looked while the node went: torchrun ends with 1 when it is stopped, and then its Node has gone as well.
TEST(End, of_a_trainer_that_was_asked_to_stop_before_its_node_went_is_no_failure) {
  const std::pair<const char*, int> ends[] = {{R"({"attempt":1,"index":0,"exitCode":1,"asked":true})", 0},
                                              {R"({"attempt":1,"index":0,"exitCode":1,"asked":false})", 1}};
  for (const auto& [record, failures] : ends) {
    JobWorld world = running_job();
    world.exit("fit-1-0", 1, record);
    world.remove_node_claim("node-of-fit-1-0");
    world.settle();
    EXPECT_EQ(world.status().failures, failures) << record;
    EXPECT_EQ(world.status().interruption_count, 1 - failures) << record;
  }
}

TEST(End, that_the_user_s_rules_call_final_is_so_after_a_notice_too) {
  JobWorld world = running_job(1, [](auto& job) {
    api::PodFailureRule rule;
    rule.action = api::FailureAction::FailJob;
    rule.on_exit_codes_operator = "In";
    rule.on_exit_codes_values = {42};
    job.spec.pod_failure_rules = {rule};
  });
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.stop_deleted(42);
  world.settle();
  EXPECT_EQ(world.state("Failed"), "True/PodFailurePolicy");
}

TEST(End, of_the_active_deadline_comes_between_attempts_too) {
  JobWorld world = running_job(1, [](auto& j) { j.spec.active_deadline_seconds = 60; });
  world.exit_all(1);
  world.settle();
  world.now_ += std::chrono::minutes(2);
  world.settle();
  EXPECT_EQ(world.state("Failed"), "True/DeadlineExceeded");
}

// Beside the trainer runs what prepares its data, and has ended with 0 for long.
JobWorld with_a_helper() {
  JobWorld world = running_job(1, [](api::ResumableJob& job) {
    auto containers = job.spec.pod_template.containers;
    api::TemplateContainer helper = containers[0];
    helper.name = "download";
    helper.limits = {};
    containers.push_back(helper);
    job.spec.pod_template.containers = containers;
  });
  kube::ContainerStatus done;
  done.name = "download";
  done.state = kube::ContainerStateKind::Terminated;
  done.exit_code = 0;
  world.pods_.at("fit-1-0").container_statuses.push_back(done);
  world.settle();
  return world;
}

// While the job is suspended its spec may change, and the last attempt may still be saving; and a cluster may have
// definitions that do not reject the edit.
TEST(End, is_that_of_the_container_with_which_the_pod_was_made_to_train) {
  JobWorld world = with_a_helper();
  world.job_.spec.container = "download";
  ++world.job_.meta.generation;
  world.settle();
  ASSERT_EQ(world.state("Complete"), "False/NotFinished");
  ASSERT_FALSE(world.status().attempt_end) << world.status().attempt_end->message;
  EXPECT_EQ(world.status().ready, 1);
  world.exit("fit-1-0", 85, R"({"attempt":1,"index":0,"exitCode":85,"step":50,"durable":true})");
  world.settle();
  EXPECT_EQ(world.status().last_end->reason, "Checkpointed");
  EXPECT_EQ(world.status().checkpoint->step, 50);
}

TEST(End, of_a_pod_that_an_older_operator_made_is_that_of_the_container_which_the_job_names) {
  JobWorld world = running_job();
  world.pods_.at("fit-1-0").meta.annotations.erase(std::string(kTrainerAnnotation));
  world.exit("fit-1-0", 0);
  world.settle();
  EXPECT_EQ(world.state("Complete"), "True/Completed");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
