// The pure decisions: what to resume, what to prune, when to end, whom to ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "agent/choose_pruned.h"
#include "agent/choose_resume.h"
#include "agent/finished.h"
#include "agent/judge_end.h"
#include "agent/process_tree.h"
#include "agent/stop_plan.h"
#include "agent/watch.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Checkpoint complete(std::int64_t step) {
  return {.name = "step-" + std::to_string(step), .step = step, .complete = true, .time = {}};
}
Checkpoint torn(std::int64_t step) {
  return {.name = "step-" + std::to_string(step), .step = step, .complete = false, .time = {}};
}

TEST(choose_resume, an_empty_volume_starts_anew) {
  EXPECT_EQ(choose_resume({}), ResumeChoice{});
}

TEST(choose_resume, takes_the_newest_complete_one_and_puts_torn_ones_aside) {
  const auto choice = choose_resume({.found = {torn(30), complete(20), torn(15), complete(10)}});
  EXPECT_EQ(choice.resume, complete(20));
  EXPECT_THAT(choice.put_aside, ElementsAre("step-30", "step-15"));
}

TEST(choose_resume, leaves_a_volume_without_any_marker_alone_unless_the_format_is_certain) {
  const auto unsure = choose_resume({.found = {torn(30)}});
  EXPECT_THAT(unsure.put_aside, IsEmpty());
  EXPECT_THAT(unsure.note, HasSubstr("step-30"));
  const auto sure = choose_resume({.found = {torn(30)}, .format_is_certain = true});
  EXPECT_THAT(sure.put_aside, ElementsAre("step-30"));
}

TEST(choose_resume, refuses_when_the_expected_step_is_not_there_and_moves_nothing) {
  const auto choice = choose_resume({.found = {torn(130), complete(100)}, .expected_step = 120});
  EXPECT_FALSE(choice.resume);
  EXPECT_THAT(choice.put_aside, IsEmpty());
  EXPECT_THAT(choice.refusal, HasSubstr("step 120"));
  EXPECT_THAT(choice.refusal, HasSubstr("step-100"));
  EXPECT_THAT(choice.refusal, HasSubstr("FromScratch"));
  EXPECT_THAT(choose_resume({.expected_step = 1}).refusal, HasSubstr("no complete one"));
}

TEST(choose_resume, accepts_the_expected_step_and_later_ones) {
  EXPECT_EQ(choose_resume({.found = {complete(120)}, .expected_step = 120}).resume, complete(120));
  EXPECT_EQ(choose_resume({.found = {complete(140)}, .expected_step = 120}).resume, complete(140));
}

TEST(choose_resume, never_touches_nothing_and_from_scratch_puts_all_aside) {
  EXPECT_EQ(choose_resume({.found = {torn(30), complete(20)}, .policy = ResumePolicy::Never, .expected_step = 40}),
            ResumeChoice{});
  const auto choice =
      choose_resume({.found = {torn(30), complete(20)}, .policy = ResumePolicy::FromScratch, .expected_step = 40});
  EXPECT_FALSE(choice.resume);
  EXPECT_THAT(choice.refusal, IsEmpty());
  EXPECT_THAT(choice.put_aside, ElementsAre("step-30", "step-20"));
}

ResumePoint said(std::int32_t attempt, const std::string& job = "job", const std::string& refusal = "") {
  return {.job_uid = job, .attempt = attempt, .pod_uid = "pod", .step = {}, .path = {}, .refusal = refusal};
}

TEST(policy_in_force, from_scratch_is_latest_once_an_attempt_since_then_has_started) {
  ScratchQuestion question{.policy = ResumePolicy::FromScratch,
                           .since = 3,
                           .self = {.job_uid = "job", .pod_uid = "pod", .attempt = 5, .index = 0}};
  EXPECT_EQ(policy_in_force(question), ResumePolicy::FromScratch);
  // Before it was asked for, of another job, refused, this attempt's own, and a later one's.
  question.published = {said(2), said(3, "other"), said(4, "job", "lost"), said(5), said(6)};
  EXPECT_EQ(policy_in_force(question), ResumePolicy::FromScratch);
  for (const std::int32_t attempt : {3, 4}) {
    question.published = {said(attempt)};
    EXPECT_EQ(policy_in_force(question), ResumePolicy::Latest) << attempt;
  }
  question.since.reset();
  EXPECT_EQ(policy_in_force(question), ResumePolicy::FromScratch);
}

TEST(policy_in_force, leaves_the_other_policies_alone) {
  for (const auto policy : {ResumePolicy::Latest, ResumePolicy::Never}) {
    EXPECT_EQ(policy_in_force({.policy = policy,
                               .since = 1,
                               .self = {.job_uid = "job", .pod_uid = {}, .attempt = 2},
                               .published = {said(1)}}),
              policy);
  }
}

Record ended(std::int32_t index, bool finished = true) {
  Record record;
  record.job_uid = "job";
  record.attempt = 4;
  record.index = index;
  record.finished = finished;
  return record;
}

FinishedQuestion member(std::int32_t index, std::int32_t parallelism) {
  return {.self = {.job_uid = "job", .pod_uid = "pod", .attempt = 5, .index = index}, .parallelism = parallelism};
}

TEST(may_skip, a_single_member_by_its_own_record) {
  EXPECT_TRUE(may_skip(member(0, 1), 4, {ended(0)}));
  EXPECT_FALSE(may_skip(member(0, 1), 4, {ended(0, false)}));
  EXPECT_FALSE(may_skip(member(0, 1), 4, {}));
  auto other_job = member(0, 1);
  other_job.self.job_uid = "other";
  EXPECT_FALSE(may_skip(other_job, 4, {ended(0)}));
}

TEST(may_skip, a_gang_only_when_all_have_finished_in_that_attempt) {
  EXPECT_TRUE(may_skip(member(1, 3), 4, {ended(0), ended(1), ended(2)}));
  EXPECT_FALSE(may_skip(member(1, 3), 4, {ended(0), ended(1)}));
  EXPECT_FALSE(may_skip(member(1, 3), 4, {ended(0), ended(1), ended(2, false)}));
  auto of_another_attempt = ended(2);
  of_another_attempt.attempt = 3;
  EXPECT_FALSE(may_skip(member(1, 3), 4, {ended(0), ended(1), of_another_attempt}));
}

TEST(may_skip, members_with_a_volume_each_never_unless_there_is_but_one) {
  auto question = member(1, 2);
  question.access = VolumeAccess::PerIndex;
  EXPECT_FALSE(may_skip(question, 4, {ended(0), ended(1)}));
  question = member(0, 1);
  question.access = VolumeAccess::PerIndex;
  EXPECT_TRUE(may_skip(question, 4, {ended(0)}));
}

TEST(may_skip, distrusted_attempts_do_not_count) {
  auto question = member(0, 1);
  question.distrusted = 3;
  EXPECT_TRUE(may_skip(question, 4, {ended(0)}));
  question.distrusted = 4;
  EXPECT_FALSE(may_skip(question, 4, {ended(0)}));
}

TEST(choose_pruned, nothing_goes_before_anything_is_durable) {
  EXPECT_THAT(choose_pruned({.found = {complete(3), complete(2), complete(1)}, .keep = 1}), IsEmpty());
}

TEST(choose_pruned, keeps_the_newest_durable_ones_and_everything_newer_or_torn) {
  const Checkpoints found{complete(5), complete(4), torn(3), complete(2), complete(1)};
  EXPECT_THAT(choose_pruned({.found = found, .durable_step = 4, .keep = 1}), ElementsAre("step-2", "step-1"));
  EXPECT_THAT(choose_pruned({.found = found, .durable_step = 4, .keep = 2}), ElementsAre("step-1"));
  EXPECT_THAT(choose_pruned({.found = found, .durable_step = 5, .keep = 9}), IsEmpty());
}

TEST(choose_pruned, keeps_the_one_resumed_from_until_a_newer_one_is_durable) {
  // Two directories of the same step: the one resumed from is not the one kept.
  Checkpoint twin = complete(4);
  twin.name = "a-step-4";
  const Checkpoints found{complete(4), twin};
  EXPECT_THAT(choose_pruned({.found = found, .durable_step = 4, .resumed_from = 4, .keep = 1}), IsEmpty());
  const Checkpoints later{complete(5), complete(4), twin};
  EXPECT_THAT(choose_pruned({.found = later, .durable_step = 5, .resumed_from = 4, .keep = 1}),
              ElementsAre("step-4", "a-step-4"));
}

TEST(choose_pruned, keeps_what_a_gang_resumed_from_for_ranks_that_come_late) {
  const Checkpoints found{complete(9), complete(8), complete(7), complete(4), complete(3)};
  const PruneQuestion alone{.found = found, .durable_step = 9, .resumed_from = 4, .keep = 2};
  EXPECT_THAT(choose_pruned(alone), ElementsAre("step-7", "step-4", "step-3"));
  PruneQuestion gang = alone;
  gang.gang = true;
  EXPECT_THAT(choose_pruned(gang), ElementsAre("step-7", "step-3"));
}

TEST(choose_pruned, always_keeps_one) {
  EXPECT_THAT(choose_pruned({.found = {complete(1)}, .durable_step = 1, .keep = 0}), IsEmpty());
}

TEST(newer, is_a_higher_step_or_the_same_written_again) {
  Checkpoint again = complete(5);
  again.time += 1s;
  EXPECT_TRUE(is_newer(complete(5), std::nullopt));
  EXPECT_TRUE(is_newer(complete(6), complete(5)));
  EXPECT_TRUE(is_newer(again, complete(5)));
  EXPECT_FALSE(is_newer(complete(5), complete(5)));
  EXPECT_FALSE(is_newer(complete(4), complete(5)));
}

constexpr runtime::Instant kNow{1'000s};
using Action = StopPlan::Action;

TEST(stop_plan, asked_it_waits_for_the_checkpoint_then_terminates_then_kills) {
  StopPlan plan(kNow, 100s, true);
  EXPECT_EQ(plan.next(kNow, false), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 50s, true), Action::Terminate);
  EXPECT_EQ(plan.next(kNow + 51s, true), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 97s, true), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 97'500ms, true), Action::Kill);
  EXPECT_EQ(plan.next(kNow + 98s, true), Action::Wait);
}

TEST(stop_plan, a_save_that_does_not_come_is_waited_for_until_the_margin) {
  StopPlan plan(kNow, 100s, true);
  EXPECT_EQ(plan.wake_at(), kNow + 90s);
  EXPECT_EQ(plan.next(kNow + 89'999ms, false), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 90s, false), Action::Terminate);
  EXPECT_EQ(plan.wake_at(), kNow + 97'500ms);
}

TEST(stop_plan, unasked_it_terminates_at_once) {
  StopPlan plan(kNow, 10s, false);
  EXPECT_EQ(plan.next(kNow, false), Action::Terminate);
  EXPECT_EQ(plan.next(kNow + 9'499ms, false), Action::Wait);
  EXPECT_EQ(plan.next(kNow + 9'500ms, false), Action::Kill);
}

TEST(stop_plan, woken_too_late_it_kills_straight_away) {
  StopPlan plan(kNow, 10s, true);
  EXPECT_EQ(plan.next(kNow + 11s, false), Action::Kill);
}

TEST(judge_end, only_a_0_that_nobody_asked_for_is_finished) {
  EXPECT_EQ(judge_end({}), (EndVerdict{.finished = true, .asked = false}));
  EXPECT_EQ(judge_end({.stop = true}), (EndVerdict{.finished = false, .asked = true}));
  EXPECT_EQ(judge_end({.requested = true}), (EndVerdict{.finished = false, .asked = true}));
  EXPECT_EQ(judge_end({.fenced = true}), EndVerdict{});
}

TEST(judge_end, a_mere_request_excuses_no_other_code) {
  for (const int code : {1, 85, 137, 143}) {
    EXPECT_EQ(judge_end({.exit_code = code}), EndVerdict{});
    EXPECT_EQ(judge_end({.exit_code = code, .requested = true}), EndVerdict{}) << code;
    EXPECT_TRUE(judge_end({.exit_code = code, .stop = true}).asked) << code;
  }
}

TEST(judge_end, signals_passed_on_are_requests_but_for_those_that_ask_for_nothing) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2}) EXPECT_TRUE(is_request(signal, 0)) << signal;
  for (const int signal : {SIGCONT, SIGWINCH, SIGURG}) EXPECT_FALSE(is_request(signal, 0)) << signal;
  EXPECT_TRUE(is_request(SIGWINCH, SIGWINCH));
}

constexpr std::uint64_t kHandles = std::uint64_t{1} << (SIGUSR1 - 1);

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

}  // namespace
}  // namespace reprise::agent
