// Trainers that hang, as real processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing_support::Scene;
using testing_support::Variables;

Variables hanging_after(const char* seconds, Variables more = {}) {
  more["REPRISE_PROGRESS_TIMEOUT_SECONDS"] = seconds;
  more.try_emplace("REPRISE_CHECKPOINT_GRACE_SECONDS", "2");
  return more;
}

std::vector<std::string> shell_that(const std::string& script) {
  return {"sh", "-c", script};
}

constexpr const char* kSleepsForEver = "while :; do sleep 0.02; done";

TEST(hang, a_trainer_that_stands_at_its_step_is_ended_and_the_record_says_so) {
  const Scene scene;
  auto agent =
      scene.run({.variables = hanging_after("0.6")}, shell_that(std::string("echo step 7; ") + kSleepsForEver));
  EXPECT_EQ(agent.wait(), 88);
  for (const auto& record : {scene.record(1), scene.termination(1)}) {
    ASSERT_TRUE(record);
    EXPECT_EQ(record->exit_code, 88);
    EXPECT_EQ(record->reason, "Hung");
    EXPECT_THAT(record->message, HasSubstr("the last step was 7"));
    EXPECT_FALSE(record->finished);
    EXPECT_FALSE(record->stop_requested) << "nobody but the agent has asked for it";
  }
}

TEST(hang, a_trainer_that_is_deaf_is_killed_before_its_grace_is_over) {
  const Scene scene;
  const auto begun = std::chrono::steady_clock::now();
  auto agent = scene.run({.variables = hanging_after("0.6")},
                         shell_that(std::string("trap '' TERM; echo step 7; ") + kSleepsForEver));
  EXPECT_EQ(agent.wait(), 88);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(8));
  EXPECT_THAT(scene.record(1)->message, HasSubstr("was killed"));
}

TEST(hang, a_trainer_that_steps_on_is_left_alone) {
  const Scene scene;
  auto agent = scene.run({.variables = hanging_after("0.6")},
                         shell_that("i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo step $i; sleep 0.05; done"));
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(scene.record(1)->finished);
}

// The trainer may end with whatever code it likes: the next attempt finds out.
TEST(hang, a_trainer_that_ends_with_0_when_it_is_stopped_has_not_finished) {
  const Scene scene;
  auto agent = scene.run({.variables = hanging_after("0.6")},
                         shell_that(std::string("trap 'exit 0' TERM; echo step 7; ") + kSleepsForEver));
  EXPECT_EQ(agent.wait(), 88);
  EXPECT_FALSE(scene.record(1)->finished);
}

TEST(hang, what_it_saves_when_it_is_asked_is_in_the_record) {
  const Scene scene;
  auto agent = scene.run(
      {.variables = hanging_after("0.6", {{"REPRISE_NOTICE_SIGNAL", "SIGUSR1"}})},
      shell_that("trap 'mkdir -p $REPRISE_CHECKPOINT_DIR/step-7; touch $REPRISE_CHECKPOINT_DIR/step-7/_COMPLETE' USR1; "
                 "trap 'exit 143' TERM; echo step 7; " +
                 std::string(kSleepsForEver)));
  EXPECT_EQ(agent.wait(), 88);
  const auto record = scene.record(1);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->saved);
  EXPECT_EQ(record->step, 7);
}

TEST(hang, a_trainer_that_handles_the_signal_for_it_says_where_it_stands) {
  const Scene scene;
  auto agent = scene.run(
      {.variables = hanging_after("0.6", {{"REPRISE_HANG_SIGNAL", "SIGUSR2"}})},
      shell_that("trap 'echo in all_reduce' USR2; trap 'exit 143' TERM; echo step 7; " + std::string(kSleepsForEver)));
  EXPECT_EQ(agent.wait(), 88);
  EXPECT_THAT(scene.output(1), HasSubstr("in all_reduce"));
}

TEST(hang, the_signal_for_it_does_not_reach_who_does_not_handle_it) {
  const Scene scene;
  auto agent = scene.run({.variables = hanging_after("0.6", {{"REPRISE_HANG_SIGNAL", "SIGUSR2"}})},
                         shell_that(std::string("trap 'echo ends well; exit 0' TERM; echo step 7; ") + kSleepsForEver));
  EXPECT_EQ(agent.wait(), 88);
  EXPECT_THAT(scene.output(1), HasSubstr("ends well"));
}

TEST(hang, without_a_timeout_nobody_looks) {
  const Scene scene;
  auto agent = scene.run({}, shell_that("echo step 7; sleep 2"));
  EXPECT_EQ(agent.wait(), 0);
}

}  // namespace
}  // namespace reprise::agent
