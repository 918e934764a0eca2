// Open verdicts, and when a verdict can be drawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rehearsal/verdict/testing/sample_jobs.h"
#include "rehearsal/verdict/verdict.h"

namespace reprise::rehearsal {
namespace {

using testing::begin_anew;
using ::testing::HasSubstr;
using testing::stopped;
using testing::survivor;
using testing::without_checkpoints;
using testing::without_save;

TEST(Verdict, where_nothing_was_shown_it_is_open) {
  JobFacts job = survivor();
  EXPECT_FALSE(judge(job).open());
  job.attempts.clear();
  job.outcome = JobFacts::Outcome::Running;
  EXPECT_TRUE(judge(job).open());
  job = survivor();
  job.disk_full = "no space";
  EXPECT_TRUE(judge(job).open());
  job = survivor();
  job.attempts.pop_back();
  job.outcome = JobFacts::Outcome::Running;
  EXPECT_TRUE(judge(job).open()) << "the run was over before it could be run again";
  job.outcome = JobFacts::Outcome::Failed;
  EXPECT_FALSE(judge(job).open());
  job = survivor();
  without_checkpoints(job);
  EXPECT_FALSE(judge(job).open());
}

TEST(Verdict, is_settled_when_nothing_that_comes_can_take_it_back) {
  const auto settled = [](auto change) {
    JobFacts job = survivor();
    job.outcome = JobFacts::Outcome::Running;
    change(job);
    return judge(job).settled;
  };
  EXPECT_FALSE(settled([](JobFacts&) {})) << "a later interruption may end otherwise";
  EXPECT_TRUE(settled([](JobFacts& job) { begin_anew(job.attempts[1]); }));
  EXPECT_TRUE(settled([](JobFacts& job) { without_save(job), stopped(job).on_term = Disposition::Default; }));
  EXPECT_FALSE(settled(without_checkpoints)) << "there may be one yet";
  EXPECT_FALSE(settled([](JobFacts& job) { without_save(job), stopped(job).last_printed = 20; }))
      << "there was nothing to save";
}

TEST(Verdict, weights_that_differ_from_those_of_an_undisturbed_run_are_no_survival) {
  using State = WeightsFacts::State;
  JobFacts job = survivor();
  job.weights = {State::Equal, ""};
  EXPECT_TRUE(judge(job).survived());
  job.weights = {State::Different, "weights.bin differs"};
  ASSERT_EQ(judge(job).findings.size(), 1U);
  EXPECT_EQ(judge(job).findings[0].reason, Reason::WeightsDiffer);
  EXPECT_THAT(judge(job).findings[0].what, HasSubstr("weights.bin differs"));
  for (const State state : {State::Arbitrary, State::NotCompared}) {
    job.weights.state = state;
    EXPECT_EQ(judge(job).findings.at(0).reason, Reason::WeightsNotCompared);
    EXPECT_TRUE(judge(job).open()) << "that was asked and not answered";
  }
}

TEST(Verdict, of_a_trainer_that_shows_nothing_is_open_and_says_what_was_looked_for) {
  JobFacts job = survivor();
  without_checkpoints(job);
  job.outcome = JobFacts::Outcome::Running;
  for (AttemptFacts& each : job.attempts) each.starting = each.silent = true;
  EXPECT_TRUE(judge(job).open());
  EXPECT_TRUE(judge(job).settled) << "as long as a start may take it was waited for";
  EXPECT_THAT(judge(job).findings.at(0).advice, HasSubstr("--start-limit"));
}

TEST(Verdict, a_trainer_that_saves_though_it_was_starting_has_answered) {
  JobFacts job = survivor();
  job.attempts[0].starting = true;
  EXPECT_TRUE(judge(job).survived());
}

}  // namespace
}  // namespace reprise::rehearsal
