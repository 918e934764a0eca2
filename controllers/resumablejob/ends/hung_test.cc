// The operator's treatment of a trainer that hung and was ended by its agent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using controllers::testing::to_next_attempt;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

// The record that its agent leaves behind; the trainer began at step 50.
std::string record(int step, const std::string& more = {}) {
  return R"({"attempt":1,"index":0,"exitCode":88,"reason":"Hung","durable":true,"resumedFromStep":50,"step":)" +
         std::to_string(step) + R"(,"message":"no newer step and no newer checkpoint for 600 s")" + more + "}";
}

JobWorld after_hang(
    std::int32_t parallelism = 1, const std::function<void(api::ResumableJob&)>& change = [](auto&) {}) {
  JobWorld world = running_job(parallelism, change);
  world.exit("fit-1-0", 88, record(70));
  world.settle();
  return world;
}

TEST(HungTrainer, ends_its_attempt_and_the_next_one_resumes) {
  JobWorld world = after_hang();
  ASSERT_TRUE(world.status().last_end);
  EXPECT_EQ(world.status().last_end->cause, api::AttemptEndCause::Hung);
  EXPECT_EQ(world.status().last_end->reason, "TrainerHung");
  EXPECT_THAT(world.status().last_end->message, HasSubstr("for 600 s"));
  EXPECT_EQ(world.status().checkpoint->step, 70);
  to_next_attempt(world);
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(HungTrainer, is_neither_a_failure_nor_an_interruption_and_is_reported) {
  JobWorld world = after_hang(1, [](api::ResumableJob& job) { job.spec.backoff_limit = 0; });
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().interruption_count, 0);
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
  EXPECT_THAT(world.announced_, Contains(Field(&Announcement::reason, "TrainerHung")));
}

TEST(HungTrainer, no_rule_of_the_user_s_is_about_it) {
  JobWorld world = after_hang(1, [](api::ResumableJob& job) {
    job.spec.pod_failure_rules = {api::PodFailureRule{
        .action = api::FailureAction::FailJob, .on_exit_codes_operator = "In", .on_exit_codes_values = {88}}};
  });
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
}

TEST(HungTrainer, takes_its_peers_along_and_waits_for_the_proof_of_their_end) {
  JobWorld world = after_hang(2);
  ASSERT_TRUE(world.status().attempt_end);
  EXPECT_EQ(world.status().attempt_end->cause, api::AttemptEndCause::Hung);
  EXPECT_TRUE(world.pod("fit-1-1").meta.deletion_timestamp);
  world.now_ += std::chrono::minutes(10);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1) << "rank 1 may still write";
  to_next_attempt(world);
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(HungTrainer, explains_the_failure_of_a_peer_that_is_seen_first) {
  JobWorld world = running_job(2);
  world.exit("fit-1-1", 1);  // its collective broke when rank 0 was ended
  world.settle();
  EXPECT_EQ(world.status().attempt_end->cause, api::AttemptEndCause::ApplicationFailure);
  world.exit("fit-1-0", 88, record(70));
  world.settle();
  ASSERT_TRUE(world.status().last_end);
  EXPECT_EQ(world.status().last_end->cause, api::AttemptEndCause::Hung);
  EXPECT_EQ(world.status().failures, 0);
}

TEST(HungTrainer, explains_the_failure_of_a_peer_that_is_seen_with_it) {
  JobWorld world = running_job(2);
  world.exit("fit-1-1", 1);
  world.exit("fit-1-0", 88, record(70));
  world.settle();
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().interruption_count, 0);
}

TEST(HungTrainer, explains_the_failure_of_a_peer_although_its_node_goes_while_a_third_still_ends) {
  JobWorld world = running_job(3);
  world.exit("fit-1-1", 1);
  world.settle();
  world.exit("fit-1-0", 88, record(70));
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.stop_deleted(143);
  world.settle();
  ASSERT_TRUE(world.status().last_end);
  EXPECT_EQ(world.status().last_end->cause, api::AttemptEndCause::Hung);
  EXPECT_EQ(world.status().interruption_count, 0);
  EXPECT_EQ(world.status().failures, 0);
}

TEST(HungTrainer, in_an_attempt_that_is_interrupted_is_no_failure) {
  JobWorld world = running_job(2);
  world.delete_node_claim("node-of-fit-1-1");
  world.settle();
  world.exit("fit-1-0", 88, record(70, R"(,"asked":true)"));
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().last_end->cause, api::AttemptEndCause::Interruption);
  EXPECT_EQ(world.status().failures, 0);
}

TEST(HungTrainer, never_completes_the_job_with_peers_that_have_finished) {
  JobWorld world = running_job(2);
  world.exit("fit-1-1", 0);
  world.settle();
  world.exit("fit-1-0", 88, record(70));
  world.settle();
  EXPECT_EQ(world.state("Complete"), "False/NotFinished");
  EXPECT_EQ(world.status().last_end->cause, api::AttemptEndCause::Hung);
}

TEST(HungTrainer, three_times_in_a_row_without_a_newer_step_is_called_stalled) {
  JobWorld world = running_job();
  for (int attempt = 1; attempt <= 3; ++attempt) {
    world.exit("fit-" + std::to_string(attempt) + "-0", 88, record(50));
    world.settle();
    EXPECT_EQ(world.state("Stalled") == "True/NoProgress", attempt == 3) << attempt;
    world.now_ += std::chrono::hours(1);
    world.settle();
    world.schedule_all();
    world.settle();
  }
  EXPECT_EQ(world.status().attempt, 4) << "it goes on all the same";
}

TEST(HungTrainer, exit_code_alone_without_its_agent_s_word_is_a_failure) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 88);
  world.settle();
  EXPECT_EQ(world.status().failures, 1);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
