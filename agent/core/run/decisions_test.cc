// The pure decisions: what to resume, what to prune, when to end, whom to ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "agent/core/ends/judge_end.h"
#include "agent/core/generations/plan_pruning.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/watch/watch.h"

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
  EXPECT_EQ(choose_resume({}), ResumeChoice{.none_complete = true});
}

TEST(choose_resume, takes_the_newest_complete_one_and_puts_torn_ones_aside) {
  const auto choice = choose_resume({.found = {torn(30), complete(20), torn(15), complete(10)}});
  EXPECT_EQ(choice.resume, complete(20));
  EXPECT_THAT(choice.put_aside, ElementsAre("step-30", "step-15"));
}

TEST(choose_resume, asks_for_a_closer_look_where_nothing_is_complete_and_says_so) {
  for (const bool certain : {false, true}) {
    const auto choice = choose_resume({.found = {torn(30)}, .format_is_certain = certain});
    EXPECT_THAT(choice.put_aside, ElementsAre("step-30"));
    EXPECT_TRUE(choice.none_complete);
    EXPECT_THAT(choice.note, HasSubstr("step-30"));
  }
}

TEST(choose_resume, moves_halves_beside_a_complete_one_only_where_this_job_was_seen_making_them) {
  ResumeQuestion question{.found = {torn(30), complete(20)}, .halves = {"step-30"}};
  EXPECT_THAT(choose_resume(question).put_aside, IsEmpty());
  question.made.push_back({.name = "step-30"});
  EXPECT_THAT(choose_resume(question).put_aside, ElementsAre("step-30"));
}

TEST(choose_resume, rejects_when_the_expected_step_is_not_there_and_moves_nothing) {
  const auto choice = choose_resume({.found = {torn(130), complete(100)}, .expected_step = 120});
  EXPECT_FALSE(choice.resume);
  EXPECT_THAT(choice.put_aside, IsEmpty());
  EXPECT_THAT(choice.rejection, HasSubstr("step 120"));
  EXPECT_THAT(choice.rejection, HasSubstr("step-100"));
  EXPECT_THAT(choice.rejection, HasSubstr("FromScratch"));
  EXPECT_THAT(choose_resume({.expected_step = 1}).rejection, HasSubstr("no complete one"));
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
  EXPECT_THAT(choice.rejection, IsEmpty());
  EXPECT_THAT(choice.put_aside, ElementsAre("step-30", "step-20"));
}

TEST(choose_resume, from_scratch_takes_no_data_away_from_the_trainer) {
  const Checkpoint data{.name = "imagenet-2012", .step = 2012, .complete = true, .time = {}};
  ResumeQuestion question{.found = {complete(20), data}, .policy = ResumePolicy::FromScratch};
  EXPECT_THAT(choose_resume(question).put_aside, ElementsAre("step-20"));
  EXPECT_THAT(choose_resume(question).left_out, ElementsAre("imagenet-2012"));
  question.format_is_certain = true;
  EXPECT_THAT(choose_resume(question).put_aside, ElementsAre("step-20", "imagenet-2012"));
}

TEST(choose_resume, says_which_complete_one_it_does_not_resume_from_for_its_name) {
  const Checkpoint unnamed{.name = "it_100", .step = 100, .complete = true, .format = "Marker"};
  const ResumeChoice choice = choose_resume({.found = {unnamed}});
  EXPECT_FALSE(choice.resume);
  EXPECT_THAT(choice.note, HasSubstr("it_100 is complete by Marker"));
  EXPECT_THAT(choose_resume({.found = {unnamed}, .format_is_certain = true}).note, "");
}

ResumePoint said(std::int32_t attempt, const std::string& job = "job", const std::string& rejection = "") {
  return {.job_uid = job, .attempt = attempt, .pod_uid = "pod", .step = {}, .path = {}, .rejection = rejection};
}

TEST(policy_in_force, from_scratch_is_latest_once_an_attempt_since_then_has_started) {
  ScratchQuestion question{.policy = ResumePolicy::FromScratch,
                           .since = 3,
                           .self = {.job_uid = "job", .pod_uid = "pod", .attempt = 5, .index = 0}};
  EXPECT_EQ(policy_in_force(question), ResumePolicy::FromScratch);
  // Before it was requested, of another job, rejected, this attempt's own, and a later one's.
  question.published = {said(2), said(3, "other"), said(4, "job", "lost"), said(5), said(6)};
  EXPECT_EQ(policy_in_force(question), ResumePolicy::FromScratch);
  for (const std::int32_t attempt : {3, 4}) {
    question.published = {said(attempt)};
    EXPECT_EQ(policy_in_force(question), ResumePolicy::Latest) << attempt;
  }
  question.since.reset();
  EXPECT_EQ(policy_in_force(question), ResumePolicy::FromScratch);
}

TEST(policy_in_force, is_latest_on_an_emptied_volume_when_a_checkpoint_has_come_since_the_start_from_scratch) {
  ScratchQuestion question{.policy = ResumePolicy::FromScratch,
                           .since = 3,
                           .self = {.job_uid = "job", .pod_uid = "pod", .attempt = 5, .index = 0},
                           .checkpoint_expected = true};
  EXPECT_EQ(policy_in_force(question), ResumePolicy::Latest);
  question.self.attempt = 3;
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

Checkpoint named(const char* name, std::int64_t step) {
  Checkpoint made = complete(step);
  made.name = name;
  return made;
}

TEST(choose_resume, data_with_a_marker_and_a_high_number_does_not_pass_for_what_was_saved) {
  const Checkpoint data = named("imagenet-2012", 2012);
  EXPECT_THAT(choose_resume({.found = {data}, .expected_step = 900}).rejection, HasSubstr("step 900"));
  EXPECT_THAT(choose_resume({.found = {complete(900), data}, .expected_step = 900}).rejection, IsEmpty());
  const MadeCheckpoints made{{.order = 1, .name = "model-800", .job_uid = "job", .attempt = 1}};
  EXPECT_EQ(choose_resume({.found = {named("model-900", 900)}, .made = made, .expected_step = 900}).resume->step, 900);
}

TEST(choose_resume, data_with_a_marker_is_resumed_from_only_where_the_format_says_that_a_marker_is_enough) {
  const Checkpoint data = named("imagenet-2012", 2012);
  EXPECT_FALSE(choose_resume({.found = {data}}).resume);
  EXPECT_EQ(choose_resume({.found = {data}, .format_is_certain = true}).resume->name, "imagenet-2012");
}

TEST(choose_resume, what_is_expected_may_be_older_than_the_newest_whatever_their_numbers) {
  const Checkpoints found{named("ckpt-2026-02-01", 1), named("ckpt-2026-01-31", 31)};
  EXPECT_EQ(choose_resume({.found = found, .expected_step = 31}).resume->name, "ckpt-2026-02-01");
}

struct Damaged {
  const char* what;
  Checkpoints found;
  std::string expected;
  std::string want_rejection;
};

// Steps that begin again with each epoch, and a trainer that keeps its own last two.
TEST(choose_resume, what_was_made_after_the_expected_one_stands_for_it_whatever_their_numbers) {
  ResumeQuestion question{.found = {{.name = "epoch_2_step_300", .step = 300, .complete = true}},
                          .made = {{.order = 1, .name = "epoch_1_step_500"}, {.order = 2, .name = "epoch_2_step_300"}},
                          .expected_step = 500,
                          .expected_checkpoint = "epoch_1_step_500"};
  EXPECT_EQ(choose_resume(question).rejection, "");
  ASSERT_TRUE(choose_resume(question).resume);
  EXPECT_EQ(choose_resume(question).resume->name, "epoch_2_step_300");
  question.made[1].order = 0;
  EXPECT_THAT(choose_resume(question).rejection, HasSubstr("should hold a complete checkpoint of step 500"));
}

TEST(choose_resume, rejects_what_was_made_before_the_expected_directory_whatever_their_numbers) {
  const MadeCheckpoints made{{.order = 1, .name = "ckpt-600-12", .job_uid = "job", .attempt = 1},
                             {.order = 2, .name = "ckpt-900-2", .job_uid = "job", .attempt = 1},
                             {.order = 3, .name = "ckpt-950-3", .job_uid = "job", .attempt = 2}};
  Checkpoint damaged = named("ckpt-900-2", 2);
  damaged.complete = false;
  const Damaged rows[] = {
      {"damaged", {named("ckpt-600-12", 12), damaged}, "ckpt-900-2", "ckpt-600-12, which was made before it"},
      {"gone", {named("ckpt-600-12", 12)}, "ckpt-900-2", "ckpt-600-12, which was made before it"},
      {"there", {named("ckpt-900-2", 2), named("ckpt-600-12", 12)}, "ckpt-900-2", ""},
      {"damaged, with a later one", {named("ckpt-950-3", 3), damaged}, "ckpt-900-2", ""},
      {"pruned unseen, a copy is left", {named("ckpt-990-9", 9)}, "ckpt-900-2", ""},
      {"not known by name", {named("ckpt-600-12", 12), damaged}, "", ""},
  };
  for (const Damaged& row : rows) {
    const auto choice =
        choose_resume({.found = row.found, .made = made, .expected_step = 2, .expected_checkpoint = row.expected});
    if (row.want_rejection.empty()) {
      EXPECT_THAT(choice.rejection, IsEmpty()) << row.what;
    } else {
      EXPECT_THAT(choice.rejection, HasSubstr(row.want_rejection)) << row.what;
      EXPECT_THAT(choice.put_aside, IsEmpty()) << row.what;
    }
  }
}

// As agents of this job have seen them appear, the oldest first.
MadeCheckpoints made(const Checkpoints& newest_first) {
  MadeCheckpoints entries;
  for (auto each = newest_first.rbegin(); each != newest_first.rend(); ++each) {
    entries.push_back({.order = std::ssize(entries) + 1, .name = each->name, .job_uid = "job", .attempt = 1});
  }
  return entries;
}

// The names of what goes.
std::vector<std::string> choose_pruned(const PruneQuestion& question) {
  std::vector<std::string> names;
  for (const Generation& each : plan_pruning(question).goes)
    for (const Generation::Part& part : each.parts) names.push_back(part.name);
  return names;
}

TEST(choose_pruned, nothing_goes_of_any_format_where_nobody_says_how_many_stay) {
  Checkpoints all{complete(5), complete(4), complete(3), complete(2), complete(1)};
  for (const char* format : {"", "Marker", "PyTorchDCP", "HuggingFace", "Manifest", "Plain"}) {
    for (Checkpoint& each : all) each.format = format;
    EXPECT_THAT(choose_pruned({.found = all, .made = made(all), .job_uid = "job", .durable_step = 5}), IsEmpty())
        << format;
  }
}

TEST(choose_pruned, nothing_goes_before_anything_is_durable) {
  const Checkpoints all{complete(3), complete(2), complete(1)};
  EXPECT_THAT(choose_pruned({.found = all, .made = made(all), .job_uid = "job", .keep = 1}), IsEmpty());
}

TEST(choose_pruned, keeps_the_newest_durable_ones_and_everything_newer_or_torn) {
  const Checkpoints found{complete(5), complete(4), torn(3), complete(2), complete(1)};
  EXPECT_THAT(choose_pruned({.found = found, .made = made(found), .job_uid = "job", .durable_step = 4, .keep = 1}),
              ElementsAre("step-2", "step-1"));
  EXPECT_THAT(choose_pruned({.found = found, .made = made(found), .job_uid = "job", .durable_step = 4, .keep = 2}),
              ElementsAre("step-1"));
  EXPECT_THAT(choose_pruned({.found = found, .made = made(found), .job_uid = "job", .durable_step = 5, .keep = 9}),
              IsEmpty());
}

TEST(choose_pruned, keeps_the_one_resumed_from_until_a_newer_one_is_durable) {
  // Two directories of the same step: the one resumed from is not the one kept.
  Checkpoint twin = complete(4);
  twin.name = "a-step-4";
  const Checkpoints found{complete(4), twin};
  EXPECT_THAT(
      choose_pruned(
          {.found = found, .made = made(found), .job_uid = "job", .durable_step = 4, .resumed_from = 4, .keep = 1}),
      IsEmpty());
  Checkpoint newer_twin = complete(5);
  newer_twin.name = "a-step-5";
  const Checkpoints later{complete(5), newer_twin, complete(4), twin};
  EXPECT_THAT(
      choose_pruned(
          {.found = later, .made = made(later), .job_uid = "job", .durable_step = 5, .resumed_from = 4, .keep = 1}),
      ElementsAre("step-4", "a-step-4"));
}

TEST(choose_pruned, keeps_what_a_gang_resumed_from_for_ranks_that_come_late) {
  const Checkpoints found{complete(9), complete(8), complete(7), complete(4), complete(3)};
  const PruneQuestion alone{
      .found = found, .made = made(found), .job_uid = "job", .durable_step = 9, .resumed_from = 4, .keep = 2};
  EXPECT_THAT(choose_pruned(alone), ElementsAre("step-7", "step-4", "step-3"));
  PruneQuestion gang = alone;
  gang.gang = true;
  EXPECT_THAT(choose_pruned(gang), ElementsAre("step-7", "step-3"));
}

TEST(choose_pruned, always_keeps_one) {
  EXPECT_THAT(
      choose_pruned(
          {.found = {complete(1)}, .made = made({complete(1)}), .job_uid = "job", .durable_step = 1, .keep = 0}),
      IsEmpty());
}

TEST(choose_pruned, nothing_goes_that_no_agent_of_this_job_saw_its_trainers_make) {
  const Checkpoints found{complete(5), complete(4), complete(3), complete(2), complete(1)};
  auto seen = made(found);
  seen[0].job_uid = "another job";  // step-1
  std::erase_if(seen, [](const auto& each) { return each.name == "step-2"; });
  EXPECT_THAT(choose_pruned({.found = found, .made = seen, .job_uid = "job", .durable_step = 5, .keep = 2}),
              ElementsAre("step-3"));
}

TEST(choose_pruned, a_directory_of_data_with_a_marker_stays_even_if_the_trainer_has_unpacked_it) {
  Checkpoint data = complete(12);
  data.name = "imagenet-12";
  const Checkpoints found{complete(30), complete(20), complete(15), data};
  EXPECT_THAT(choose_pruned({.found = found, .made = made(found), .job_uid = "job", .durable_step = 30, .keep = 2}),
              ElementsAre("step-15"));
}

TEST(choose_pruned, nothing_goes_while_a_lower_number_was_completed_later) {
  Checkpoint february = complete(1), january = complete(31), before = complete(30);
  february.name = "ckpt-2026-02-01";
  january.name = "ckpt-2026-01-31";
  before.name = "ckpt-2026-01-30";
  const Checkpoints found{february, january, before};
  for (const std::int64_t durable : {1, 31}) {
    EXPECT_THAT(
        choose_pruned({.found = found, .made = made(found), .job_uid = "job", .durable_step = durable, .keep = 1}),
        IsEmpty());
  }
}

TEST(newer, is_a_higher_step_or_the_same_written_again) {
  Checkpoint again = complete(5);
  again.time += 1s;
  EXPECT_TRUE(is_newer(complete(5), std::nullopt));
  EXPECT_TRUE(is_newer(complete(6), complete(5)));
  EXPECT_TRUE(is_newer(again, complete(5)));
  EXPECT_FALSE(is_newer(complete(5), complete(5)));
  EXPECT_FALSE(is_newer(complete(4), complete(5)));
  Checkpoint later = complete(4);
  later.time += 1s;
  EXPECT_TRUE(is_newer(later, complete(5)));
}

TEST(judge_end, only_a_0_that_nobody_asked_for_is_finished) {
  EXPECT_EQ(judge_end({}), (EndVerdict{.finished = true, .stop_requested = false}));
  EXPECT_EQ(judge_end({.stop = true}), (EndVerdict{.finished = false, .stop_requested = true}));
  EXPECT_EQ(judge_end({.requested = true}),
            (EndVerdict{.finished = false, .stop_requested = true, .request_only = true}));
  EXPECT_EQ(judge_end({.stop = true, .requested = true}), (EndVerdict{.finished = false, .stop_requested = true}));
  EXPECT_EQ(judge_end({.fenced = true}), EndVerdict{});
}

TEST(judge_end, a_mere_request_excuses_no_other_code) {
  for (const int code : {1, 85, 137, 143}) {
    EXPECT_EQ(judge_end({.exit_code = code}), EndVerdict{});
    EXPECT_EQ(judge_end({.exit_code = code, .requested = true}), EndVerdict{}) << code;
    EXPECT_TRUE(judge_end({.exit_code = code, .stop = true}).stop_requested) << code;
  }
}

TEST(judge_end, signals_passed_on_are_requests_but_for_those_that_ask_for_nothing) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2}) EXPECT_TRUE(is_request(signal, 0)) << signal;
  for (const int signal : {SIGCONT, SIGWINCH, SIGURG}) EXPECT_FALSE(is_request(signal, 0)) << signal;
  EXPECT_TRUE(is_request(SIGWINCH, SIGWINCH));
}

}  // namespace
}  // namespace reprise::agent
