// Ranks with a volume each act on the step that all have: what each resumes from, and what may go.
#include "agent/core/restore/common_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/restore/choose_resume.h"
#include "agent/core/restore/choose_torn.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using protocol::CommonStep;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Checkpoint complete(std::int64_t step) {
  return {.name = "step-" + std::to_string(step), .step = step, .complete = true, .time = {}};
}
Checkpoint torn(std::int64_t step) {
  return {.name = "step-" + std::to_string(step), .step = step, .complete = false, .time = {}};
}
Checkpoint named(const char* name, std::int64_t step) {
  Checkpoint made = complete(step);
  made.name = name;
  return made;
}

TEST(environment, only_several_ranks_with_a_volume_each_agree_on_a_step) {
  Environment env;
  env.parallelism = 2;
  env.access = VolumeAccess::PerIndex;
  for (const auto policy : {ResumePolicy::Latest, ResumePolicy::FromScratch}) {
    env.resume = policy;
    EXPECT_TRUE(env.agrees_on_step());
  }
  env.resume = ResumePolicy::Never;
  EXPECT_FALSE(env.agrees_on_step()) << "nothing is resumed";
  env.resume = ResumePolicy::Latest;
  env.parallelism = 1;
  EXPECT_FALSE(env.agrees_on_step());
  env.parallelism = 2;
  env.access = VolumeAccess::Shared;
  EXPECT_FALSE(env.agrees_on_step()) << "index 0 chooses for all";
}

struct Resumed {
  const char* what;
  ResumeQuestion question;
  std::string want_resume;
  std::vector<std::string> want_put_aside, want_left_out;
};

TEST(choose_common, resumes_the_step_that_all_have_and_puts_aside_what_is_newer) {
  const Checkpoint february = named("ckpt-2026-02-01", 1), january = named("ckpt-2026-01-31", 31);
  const MadeCheckpoints models{{.order = 1, .name = "model-7", .job_uid = "job", .attempt = 1}};
  const Resumed rows[] = {
      {"one that a volume may lose",
       {.found = {complete(200), complete(100)}, .common = CommonStep{.step = 200, .is_durable = false}},
       "step-200",
       {},
       {}},
      {"the newest here", {.found = {complete(200), complete(100)}, .common = CommonStep{200}}, "step-200", {}, {}},
      {"a newer one here",
       {.found = {complete(300), complete(200), complete(100)}, .common = CommonStep{200}},
       "step-200",
       {"step-300"},
       {}},
      {"torn ones as ever",
       {.found = {complete(300), complete(200), torn(400), torn(100)}, .common = CommonStep{200}},
       "step-200",
       {"step-400", "step-100", "step-300"},
       {}},
      {"newer by the order, whatever its number",
       {.found = {february, january}, .common = CommonStep{31}},
       "ckpt-2026-01-31",
       {"ckpt-2026-02-01"},
       {}},
      {"older by the order, with a higher number",
       {.found = {february, january}, .common = CommonStep{1}},
       "ckpt-2026-02-01",
       {},
       {}},
      {"of two of that step the newest",
       {.found = {complete(300), named("again/step-200", 200), complete(200)}, .common = CommonStep{200}},
       "again/step-200",
       {"step-300"},
       {}},
      {"data of that number is no checkpoint",
       {.found = {named("model-9", 9), complete(7), named("imagenet-7", 7)}, .made = models, .common = CommonStep{7}},
       "step-7",
       {"model-9"},
       {}},
      {"what was expected is the step that all have",
       {.found = {complete(300), complete(200)}, .expected_step = 200, .common = CommonStep{200}},
       "step-200",
       {"step-300"},
       {}},
      {"what was expected is older, with a higher number",
       {.found = {february, january}, .expected_step = 31, .common = CommonStep{1}},
       "ckpt-2026-02-01",
       {},
       {}},
      {"what was expected is here, and another rank cannot prove it",
       {.found = {complete(300), complete(200)},
        .expected_step = 300,
        .expected_checkpoint = "step-300",
        .common = CommonStep{.step = 200, .unproven_step = 300}},
       "step-200",
       {"step-300"},
       {}},
      {"what was expected has been put aside here",
       {.found = {complete(200)},
        .expected_step = 300,
        .expected_checkpoint = "step-300",
        .common = CommonStep{.step = 200, .unproven_step = 400}},
       "step-200",
       {},
       {}},
  };
  for (const Resumed& row : rows) {
    const auto choice = choose_resume(row.question);
    ASSERT_TRUE(choice.resume) << row.what << choice.rejection << choice.step_gone;
    EXPECT_EQ(choice.resume->name, row.want_resume) << row.what;
    EXPECT_EQ(choice.put_aside, row.want_put_aside) << row.what;
    EXPECT_EQ(choice.left_out, row.want_left_out) << row.what;
  }
}

TEST(choose_common, where_no_step_is_on_all_volumes_all_start_anew) {
  const Checkpoint data = named("imagenet-2012", 2012);
  const Resumed rows[] = {
      {"nothing here", {.common = CommonStep{}}, "", {}, {}},
      {"checkpoints here",
       {.found = {complete(300), complete(200), torn(400)}, .common = CommonStep{}},
       "",
       {"step-300", "step-200", "step-400"},
       {}},
      {"data of the trainer's stays",
       {.found = {complete(300), data}, .common = CommonStep{}},
       "",
       {"step-300"},
       {"imagenet-2012"}},
      {"a trainer whose layout may not be known is left alone",
       {.found = {data, torn(400)}, .common = CommonStep{}},
       "",
       {},
       {"imagenet-2012"}},
      {"and so is one by a format that was named",
       {.found = {torn(400)}, .format_is_certain = true, .common = CommonStep{}},
       "",
       {},
       {}},
      {"the loss was accepted",
       {.found = {complete(300)}, .policy = ResumePolicy::FromScratch, .expected_step = 300, .common = CommonStep{}},
       "",
       {"step-300"},
       {}},
  };
  for (const Resumed& row : rows) {
    const auto choice = choose_resume(row.question);
    EXPECT_FALSE(choice.resume) << row.what;
    EXPECT_EQ(choice.put_aside, row.want_put_aside) << row.what;
    EXPECT_EQ(choice.left_out, row.want_left_out) << row.what;
    EXPECT_EQ(choice.rejection + choice.step_gone, "") << row.what;
  }
}

struct Rejected {
  const char* what;
  ResumeQuestion question;
  std::string want;
};

TEST(choose_common, what_is_lost_is_said_and_nothing_is_moved) {
  const MadeCheckpoints made{{.order = 1, .name = "ckpt-600-12", .job_uid = "job", .attempt = 1},
                             {.order = 2, .name = "ckpt-900-2", .job_uid = "job", .attempt = 1}};
  const Rejected rows[] = {
      {"nothing is on all volumes",
       {.found = {complete(300)}, .expected_step = 200, .common = CommonStep{}},
       "of step 200 or a later one, but no step is on all of them"},
      {"only an older one is",
       {.found = {complete(300), complete(100), torn(90)}, .expected_step = 200, .common = CommonStep{100}},
       "of step 200 or a later one, but the newest step that all of them hold is 100"},
      {"what nobody can prove is older than what is missing",
       {.found = {complete(300), complete(100)},
        .expected_step = 200,
        .common = CommonStep{.step = 100, .unproven_step = 150}},
       "of step 200 or a later one, but the newest step that all of them hold is 100"},
      {"only one that was made before it",
       {.found = {named("ckpt-600-12", 12)},
        .made = made,
        .expected_step = 2,
        .expected_checkpoint = "ckpt-900-2",
        .common = CommonStep{12}},
       "ckpt-900-2 or a later one, but the newest step that all of them hold is 12"},
  };
  for (const Rejected& row : rows) {
    const auto choice = choose_resume(row.question);
    EXPECT_THAT(choice.rejection, HasSubstr(row.want)) << row.what;
    EXPECT_THAT(choice.rejection, HasSubstr("FromScratch")) << row.what;
    EXPECT_FALSE(choice.resume) << row.what;
    EXPECT_THAT(choice.put_aside, IsEmpty()) << row.what;
    EXPECT_THAT(choice.left_out, IsEmpty()) << row.what;
  }
}

TEST(choose_common, a_step_that_is_not_here_any_more_moves_nothing) {
  const Rejected rows[] = {
      {"gone", {.found = {complete(300), complete(100)}, .common = CommonStep{200}}, "step 200"},
      {"torn", {.found = {complete(300), torn(200)}, .common = CommonStep{200}}, "step 200"},
      {"gone, and expected", {.found = {complete(300)}, .expected_step = 200, .common = CommonStep{200}}, "step 200"},
      {"data alone has that number", {.found = {named("imagenet-2012", 2012)}, .common = CommonStep{2012}}, "2012"},
      {"this volume starts from scratch",
       {.found = {complete(200)}, .policy = ResumePolicy::FromScratch, .common = CommonStep{200}},
       "from scratch"},
  };
  for (const Rejected& row : rows) {
    const auto choice = choose_resume(row.question);
    EXPECT_THAT(choice.step_gone, HasSubstr(row.want)) << row.what;
    EXPECT_FALSE(choice.resume) << row.what;
    EXPECT_THAT(choice.rejection, IsEmpty()) << row.what;
    EXPECT_THAT(choice.put_aside, IsEmpty()) << row.what;
    EXPECT_THAT(choice.left_out, IsEmpty()) << row.what;
  }
}

MadeCheckpoints made(const Checkpoints& newest_first) {
  MadeCheckpoints entries;
  for (auto each = newest_first.rbegin(); each != newest_first.rend(); ++each)
    entries.push_back({.order = std::ssize(entries) + 1, .name = each->name, .job_uid = "job", .attempt = 1});
  return entries;
}

// The names of what goes.
std::vector<std::string> choose_pruned(const PruneQuestion& question) {
  std::vector<std::string> names;
  for (const Generation& each : plan_pruning(question).goes)
    for (const Generation::Part& part : each.parts) names.push_back(part.name);
  return names;
}

TEST(choose_pruned, nothing_goes_that_may_be_all_that_ranks_with_a_volume_each_have_in_common) {
  const Checkpoints found{complete(5), complete(4), complete(3), complete(2), complete(1)};
  PruneQuestion question{.found = found, .made = made(found), .job_uid = "job", .durable_step = 5, .keep = 1};
  question.agrees_on_step = true;
  EXPECT_THAT(choose_pruned(question), IsEmpty()) << "nothing is known of the others";
  question.step_of_all = 3;
  EXPECT_THAT(choose_pruned(question), ElementsAre("step-2", "step-1"));
  question.step_of_all = 5;
  EXPECT_THAT(choose_pruned(question), ElementsAre("step-4", "step-3", "step-2", "step-1"));
  question.keep = 3;
  EXPECT_THAT(choose_pruned(question), ElementsAre("step-2", "step-1")) << "beside what is kept anyway";
  question.step_of_all = 6;
  EXPECT_THAT(choose_pruned(question), IsEmpty()) << "it is not here: what all have then is not known";
  question.found[1].complete = false;
  question.step_of_all = 4;
  EXPECT_THAT(choose_pruned(question), IsEmpty()) << "nor is it while it is torn";
}

TEST(choose_pruned, torn_ones_go_whatever_ranks_have_in_common) {
  const Checkpoints found{complete(5), torn(4), complete(3)};
  PruneQuestion question{.found = found, .made = made(found), .job_uid = "job", .durable_step = 5, .keep = 1};
  question.agrees_on_step = true;
  EXPECT_THAT(choose_torn(question, found), IsEmpty()) << "no later attempt has made one that could stand for it";
  question.made.back().attempt = 2;
  EXPECT_THAT(choose_torn(question, found), ElementsAre("step-4"));
}

TEST(step_of_all, goes_on_and_never_back) {
  StepOfAll step(std::nullopt);
  EXPECT_EQ(step.see(std::nullopt), std::nullopt);
  EXPECT_EQ(step.see("\"none\""), std::nullopt);
  EXPECT_EQ(step.see("\"200\""), 200);
  for (const char* said : {"\"100\"", "\"none\"", "300", "\"3e2\"", "\"300", ""})
    EXPECT_EQ(step.see(said), 200) << said;
  EXPECT_EQ(step.see(std::nullopt), 200);
  EXPECT_EQ(step.see("\"300\""), 300);
  EXPECT_EQ(StepOfAll(CommonStep{400}).see("\"300\""), 400) << "what all resumed from all have";
}

// A rank that deletes older ones for its sake may have nothing in common with the others after the next power loss.
TEST(step_of_all, is_none_that_a_volume_may_lose) {
  StepOfAll step(CommonStep{.step = 400, .name = 17, .is_durable = false});
  EXPECT_EQ(step.see(std::nullopt), std::nullopt);
  EXPECT_EQ(step.see("\"400?\""), std::nullopt);
  EXPECT_EQ(step.see("\"300\""), 300);
  EXPECT_EQ(step.see("\"400?\""), 300);
}

class ResumeStepTest : public testing_support::VolumeTest {
 protected:
  [[nodiscard]] SaidStep said(const std::string& annotations) const {
    testing_support::put_text(root() / "annotations", annotations);
    return read_resume_step(volume_->files, root() / "annotations");
  }
};

TEST_F(ResumeStepTest, is_what_the_annotation_says_or_not_there_yet) {
  EXPECT_THAT(read_resume_step(volume_->files, root() / "annotations").why, HasSubstr("resume-step"));
  EXPECT_EQ(said("a=\"1\"\nreprise.dev/resume-step=\"300\"\n").common, CommonStep{300});
  EXPECT_EQ(said("reprise.dev/resume-step=\"none\"").common, CommonStep{});
  EXPECT_EQ(said("reprise.dev/resume-step=\"300?\"").common, (CommonStep{.step = 300, .is_durable = false}));
  EXPECT_THAT(said("reprise.dev/common-step=\"300\"").why, HasSubstr("no annotation reprise.dev/resume-step"));
  for (const std::string bad : {"300", "\"\"", "\"300", "\"-1\"", "\"300 \""}) {
    EXPECT_FALSE(said("reprise.dev/resume-step=" + bad).common) << bad;
    EXPECT_THAT(said("reprise.dev/resume-step=" + bad).why, HasSubstr(bad)) << bad;
  }
}

// The file has all of a pod's annotations, and others may come first.
TEST_F(ResumeStepTest, is_found_behind_large_annotations) {
  const std::string large = "a=\"" + std::string(200'000, 'x') + "\"\n";
  EXPECT_EQ(said(large + "reprise.dev/resume-step=\"300\"\n").common, CommonStep{300});
}

}  // namespace
}  // namespace reprise::agent
