// A notice that a trainer does not heed, however much it saves and however well it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rehearsal/verdict/interruptions.h"
#include "rehearsal/verdict/testing/sample_jobs.h"
#include "rehearsal/verdict/verdict.h"

namespace reprise::rehearsal {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using testing::stopped;
using testing::survivor;
using testing::three_times;

// A trainer with a handler that printed steps 24 to 200 after the notice and saved every 20, until it was killed.
JobFacts trained_on() {
  JobFacts job = survivor();
  RankFacts& rank = stopped(job);
  rank.killed = true;
  rank.ended = seconds(140);
  rank.counts_from = rank.counts_by = 1;
  rank.printed_when_asked = 24;
  rank.last_printed = 200;
  for (const int step : {60, 80}) job.attempts[0].checkpoints.push_back({.step = step, .at = seconds(32 + step)});
  job.attempts[1].resumed_from = 80;
  job.attempts[1].ranks[0].first_printed = 81;
  job.attempts[1].checkpoints = {{.step = 100, .at = seconds(90)}};
  return job;
}

// A trainer that trained on to its end after the notice; the next attempt found nothing more to do.
JobFacts ended_in_its_grace() {
  JobFacts job = survivor();
  RankFacts& rank = stopped(job);
  rank.exit_code = 0;
  rank.finished = true;
  rank.printed_when_asked = 24;
  rank.last_printed = 40;
  job.attempts[1].checkpoints.clear();
  job.attempts[1].ranks[0].first_printed.reset();
  job.attempts[1].ranks[0].last_printed.reset();
  return job;
}

TEST(Heed, who_trains_on_until_it_is_killed_ignores_sigterm_though_it_has_a_handler) {
  JobFacts job = trained_on();
  EXPECT_FALSE(interruptions_of(job)[0].save_took) << "a periodic save would have come anyway";
  ASSERT_FALSE(judge(job).survived());
  EXPECT_EQ(judge(job).findings[0].reason, Reason::IgnoresSigterm);
  EXPECT_THAT(judge(job).findings[0].what, HasSubstr("has a handler for SIGTERM"));
  job.notice_by_request = true;
  EXPECT_TRUE(judge(job).survived()) << "it may have heeded the other signal, or the file";
}

TEST(Heed, who_trains_on_and_saves_nothing_until_it_is_killed_does_not_save_too_slowly) {
  JobFacts job = trained_on();
  job.attempts[0].checkpoints.resize(1);
  job.attempts[1].resumed_from = 20;
  job.attempts[1].ranks[0].first_printed = 21;
  ASSERT_FALSE(judge(job).survived());
  EXPECT_EQ(judge(job).findings[0].reason, Reason::IgnoresSigterm);
  job.attempts[0].checkpoints.push_back({.step = 25, .at = seconds(33), .complete = false});
  EXPECT_EQ(judge(job).findings[0].reason, Reason::SaveTooSlow) << "it began to save, beside its training";
}

TEST(Heed, a_save_out_of_its_turn_is_an_answer_whatever_comes_after_it) {
  JobFacts job = trained_on();
  job.attempts[0].checkpoints.insert(job.attempts[0].checkpoints.begin() + 1, {.step = 25, .at = seconds(31)});
  EXPECT_EQ(interruptions_of(job)[0].save_took, seconds(1));
  EXPECT_TRUE(judge(job).survived());
}

TEST(Heed, who_saves_with_every_step_it_prints_may_have_answered) {
  JobFacts job = trained_on();
  stopped(job).counts_by = 20;
  EXPECT_TRUE(judge(job).survived());
}

TEST(Heed, one_rank_that_ends_is_an_answer_of_all) {
  JobFacts job = trained_on();
  RankFacts peer = stopped(job);
  peer.rank = 1;
  peer.killed = false;
  job.attempts[0].ranks.push_back(peer);
  EXPECT_TRUE(judge(job).survived());
}

TEST(Heed, nothing_is_shown_by_a_training_that_ends_within_the_grace_of_its_only_interruption) {
  const JobFacts job = ended_in_its_grace();
  const Verdict verdict = judge(job);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].reason, Reason::NothingRehearsed);
  EXPECT_TRUE(verdict.open());
  EXPECT_THAT(verdict.findings[0].what, HasSubstr("to its end"));
}

TEST(Heed, a_training_may_end_within_the_grace_when_it_has_shown_before_how_it_takes_a_notice) {
  JobFacts job = three_times();
  AttemptFacts& last = job.attempts.back();
  last.ranks[0].asked = last.ranks[0].began + seconds(38);
  last.ranks[0].exit_code = 0;
  last.checkpoints = {{.step = 100, .at = last.ranks[0].began + seconds(39)}};
  job.attempts.push_back({.number = last.number + 1,
                          .resumed_from = 100,
                          .ranks = {{.began = seconds(400), .ended = seconds(401), .finished = true}}});
  EXPECT_TRUE(judge(job).survived());
}

TEST(Heed, a_handler_that_saves_and_exits_with_0_is_an_answer) {
  JobFacts job = survivor();
  stopped(job).exit_code = 0;
  stopped(job).finished = true;
  EXPECT_TRUE(judge(job).survived()) << "the next attempt trained further";
}

}  // namespace
}  // namespace reprise::rehearsal
