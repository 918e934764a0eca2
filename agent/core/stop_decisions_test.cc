// The pure decisions of a stop: what asks for it, who is signalled how and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <initializer_list>

#include "agent/core/processes.h"
#include "agent/core/stop_plan.h"
#include "agent/core/stop_request.h"
#include "agent/core/stop_targets.h"

namespace reprise::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
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

TEST(stop_plan, woken_too_late_it_kills_straight_away) {
  StopPlan plan(kNow, 10s, true);
  EXPECT_EQ(plan.next(kNow + 11s, {}), Action::Kill);
}

constexpr std::uint64_t masks(std::initializer_list<int> signals) {
  std::uint64_t mask = 0;
  for (const int signal : signals) mask |= std::uint64_t{1} << (signal - 1);
  return mask;
}

constexpr std::uint64_t kHandles = masks({SIGUSR1});
constexpr std::uint64_t kTerm = masks({SIGTERM});

TEST(handlers, are_the_topmost_that_handle_the_signal) {
  const std::vector<Process> tree{{.pid = 2, .parent = 1, .caught = 0},         // a shell
                                  {.pid = 3, .parent = 2, .caught = 0},         // a launcher
                                  {.pid = 4, .parent = 3, .caught = kHandles},  // trainers
                                  {.pid = 5, .parent = 3, .caught = kHandles},
                                  {.pid = 6, .parent = 4, .caught = kHandles},  // a data loader's worker
                                  {.pid = 7, .parent = 2, .caught = 0}};
  EXPECT_THAT(handlers_of(SIGUSR1, 1, tree), ElementsAre(4, 5));
  EXPECT_THAT(handlers_of(SIGUSR2, 1, tree), IsEmpty());
  EXPECT_THAT(handlers_of(SIGUSR1, 1, {}), IsEmpty());
  EXPECT_THAT(children_of(2, tree), ElementsAre(3, 7));
}

std::vector<pid_t> signalled(const std::vector<Process>& tree) {
  return stop_targets(SIGTERM, 2, tree).pids;
}

TEST(stop_targets, a_trainer_that_handles_the_signal_is_signalled_and_nobody_below_it) {
  EXPECT_THAT(signalled({{.pid = 2, .parent = 1, .caught = kTerm, .name = "python3"},
                         {.pid = 3, .parent = 2, .caught = 0, .name = "python3"},        // a data loader's worker
                         {.pid = 4, .parent = 2, .caught = kTerm, .name = "python3"}}),  // one that a launcher tells
              ElementsAre(2));
}

TEST(stop_targets, a_shell_that_waits_is_looked_through_whatever_traps_it_has) {
  for (const std::uint64_t trap : {std::uint64_t{0}, kTerm}) {
    EXPECT_THAT(signalled({{.pid = 2, .parent = 1, .caught = trap, .name = "bash"},
                           {.pid = 3, .parent = 2, .caught = kTerm, .name = "python3"},
                           {.pid = 4, .parent = 3, .caught = 0, .name = "python3"},
                           {.pid = 5, .parent = 2, .caught = 0, .name = "tee"}}),
                ElementsAre(3));
  }
}

TEST(stop_targets, a_launcher_that_would_end_of_the_signal_is_signalled_beside_the_trainer_below_it) {
  EXPECT_THAT(signalled({{.pid = 2, .parent = 1, .caught = 0, .name = "sh"},
                         {.pid = 3, .parent = 2, .caught = 0, .name = "launch"},
                         {.pid = 4, .parent = 3, .caught = kTerm, .name = "python3"}}),
              ElementsAre(3, 4));
}

TEST(stop_targets, who_blocks_or_ignores_the_signal_is_looked_through) {
  EXPECT_THAT(signalled({{.pid = 2, .parent = 1, .blocked = kTerm, .name = "tini"},
                         {.pid = 3, .parent = 2, .ignored = kTerm, .name = "nohup"},
                         {.pid = 4, .parent = 3, .caught = kTerm, .name = "python3"}}),
              ElementsAre(4));
}

TEST(stop_targets, where_nobody_handles_the_signal_the_trainer_is_signalled) {
  EXPECT_THAT(signalled({{.pid = 2, .parent = 1, .name = "bash"}, {.pid = 3, .parent = 2, .name = "python3"}}),
              ElementsAre(2));
  EXPECT_THAT(signalled({{.pid = 2, .parent = 1, .blocked = kTerm, .name = "tini"}, {.pid = 3, .parent = 2}}),
              ElementsAre(2));
  EXPECT_THAT(signalled({}), ElementsAre(2));  // no /proc
  // What has left the trainer's tree is not what it saves with.
  EXPECT_THAT(signalled({{.pid = 2, .parent = 1}, {.pid = 3, .parent = 1, .caught = kTerm}}), ElementsAre(2));
}

TEST(stop_targets, a_shell_with_a_trap_is_signalled_where_nobody_below_it_handles_the_signal) {
  EXPECT_THAT(
      signalled({{.pid = 2, .parent = 1, .caught = kTerm, .name = "sh"}, {.pid = 3, .parent = 2, .name = "sleep"}}),
      ElementsAre(2));
}

TEST(stop_targets, what_a_trainer_left_behind_is_signalled_when_it_has_ended) {
  const Process gone{.pid = 2, .parent = 1, .caught = kTerm, .ended = true};
  const Process saving{.pid = 3, .parent = 1, .caught = kTerm};
  EXPECT_THAT(signalled({gone, saving}), ElementsAre(3));
  EXPECT_THAT(signalled({saving}), ElementsAre(3));
  EXPECT_THAT(signalled({gone, {.pid = 4, .parent = 1}}), IsEmpty());
}

TEST(stop_targets, the_trainer_gets_the_signal_that_it_handles) {
  const std::vector<Process> by_int{{.pid = 2, .parent = 1, .caught = masks({SIGINT})}};
  EXPECT_EQ(stop_targets(SIGINT, 2, by_int).signal, SIGINT);
  EXPECT_EQ(stop_targets(SIGQUIT, 2, by_int).signal, SIGTERM);
  EXPECT_EQ(stop_targets(SIGINT, 2, {{.pid = 2, .parent = 1, .caught = kTerm}}).signal, SIGTERM);
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
