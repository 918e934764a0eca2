// The pure decisions of a stop: what asks for it, and when who is signalled.
#include <gtest/gtest.h>

#include <csignal>

#include "agent/core/stop/stop_plan.h"
#include "agent/core/stop/stop_request.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;

constexpr runtime::Instant kNow{1'000s};
using Action = StopPlan::Action;

TEST(stop_plan, with_a_checkpoint_requested_it_waits_for_the_checkpoint_then_terminates_then_kills) {
  StopPlan plan(kNow, 100s, true);
  EXPECT_EQ(plan.next(kNow, {}), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 50s, {.saved = true}), Action::Terminate);
  EXPECT_EQ(plan.next(kNow + 51s, {.saved = true}), Action::Wait);
  EXPECT_EQ(plan.wake_at(), kNow + 90s);
  EXPECT_EQ(plan.next(kNow + 90s, {.saved = true}), Action::TerminateGroup);
  EXPECT_EQ(plan.next(kNow + 97s, {.saved = true}), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 97'500ms, {.saved = true}), Action::Kill);
  EXPECT_EQ(plan.next(kNow + 98s, {.saved = true}), Action::Wait);
}

TEST(stop_plan, a_save_that_does_not_come_is_waited_for_until_the_margin) {
  StopPlan plan(kNow, 100s, true);
  EXPECT_EQ(plan.wake_at(), kNow + 90s);
  EXPECT_EQ(plan.next(kNow + 89'999ms, {}), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 90s, {}), Action::Terminate);
  EXPECT_EQ(plan.wake_at(), kNow + 95s);
  EXPECT_EQ(plan.next(kNow + 90s, {}), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 95s, {}), Action::TerminateGroup);
  EXPECT_EQ(plan.wake_at(), kNow + 97'500ms);
}

TEST(stop_plan, without_a_checkpoint_requested_it_terminates_at_once) {
  StopPlan plan(kNow, 10s, false);
  EXPECT_EQ(plan.next(kNow, {}), Action::Terminate);
  EXPECT_EQ(plan.next(kNow + 7'999ms, {}), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 8s, {}), Action::TerminateGroup);
  EXPECT_EQ(plan.next(kNow + 9'499ms, {}), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 9'500ms, {}), Action::Kill);
}

TEST(stop_plan, the_group_is_left_alone_until_the_trainer_and_all_who_were_signalled_have_ended) {
  StopPlan plan(kNow, 100s, false);
  EXPECT_EQ(plan.next(kNow, {}), Action::Terminate);
  EXPECT_EQ(plan.next(kNow + 1s, {.trainer_ended = true}), Action::Wait);  // a launcher; what it launched saves
  EXPECT_EQ(plan.next(kNow + 2s, {.signalled_ended = true, .trainer_ended = true}), Action::TerminateGroup);
}

TEST(stop_plan, a_trainer_that_outlives_all_who_were_signalled_is_signalled_a_moment_later) {
  StopPlan plan(kNow, 100s, false);
  EXPECT_EQ(plan.next(kNow, {}), Action::Terminate);
  EXPECT_EQ(plan.next(kNow + 5s, {.signalled_ended = true}), Action::Wait);
  EXPECT_EQ(plan.wake_at(), kNow + 6s);
  EXPECT_EQ(plan.next(kNow + 6s, {.signalled_ended = true}), Action::TerminateTrainer);
  EXPECT_EQ(plan.next(kNow + 7s, {}), Action::Wait);
  EXPECT_EQ(plan.wake_at(), kNow + 90s);
  EXPECT_EQ(plan.next(kNow + 8s, {.signalled_ended = true, .trainer_ended = true}), Action::TerminateGroup);
}

TEST(stop_plan, a_launcher_that_learns_late_of_its_ranks_ends_has_longer_to_end_by_itself) {
  StopPlan plan(kNow, 100s, false);
  EXPECT_EQ(plan.next(kNow, {}), Action::Terminate);
  EXPECT_EQ(plan.next(kNow + 5s, {.signalled_ended = true, .learns_late = true}), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 9s, {.signalled_ended = true, .learns_late = true}), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 10s, {.signalled_ended = true, .learns_late = true}), Action::TerminateTrainer);
}

TEST(stop_plan, woken_too_late_it_kills_straight_away) {
  StopPlan plan(kNow, 10s, true);
  EXPECT_EQ(plan.next(kNow + 11s, {}), Action::Kill);
}

TEST(stop_request, is_sigterm_and_whatever_the_container_runtime_sends) {
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGUSR1, SIGWINCH, SIGRTMIN + 3}) {
    EXPECT_TRUE(is_stop_request({.number = signal, .from_outside = true})) << signal;
    EXPECT_EQ(is_stop_request({.number = signal, .from_outside = false}), signal == SIGTERM) << signal;
  }
  for (const int signal : {SIGCHLD, SIGCONT, SIGTSTP}) {
    EXPECT_FALSE(is_stop_request({.number = signal, .from_outside = true})) << signal;
  }
}

}  // namespace
}  // namespace reprise::agent
