#include "rehearsal/verdict/interruptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rehearsal/verdict/testing/sample_jobs.h"
#include "rehearsal/verdict/verdict.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;
using std::chrono::seconds;
using testing::begin_anew;
using testing::fail_at_load;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::survivor;
using testing::three_times;

TEST(Interruptions, are_reported_with_what_they_cost) {
  const auto all = interruptions_of(survivor());
  ASSERT_EQ(all.size(), 1U);
  const InterruptionFacts& seen = all[0];
  EXPECT_EQ(seen.at, Duration(seconds(30)));
  EXPECT_EQ(seen.save_took, Duration(seconds(2)));
  EXPECT_EQ(seen.step_at_notice, 20);
  EXPECT_EQ(seen.step_saved, 40);
  EXPECT_EQ(seen.step_resumed, 40);
  EXPECT_EQ(seen.resumed_after, Duration(seconds(30)));
  EXPECT_EQ(seen.steps_lost(), 0);
}

TEST(Interruptions, lose_what_was_printed_beyond_the_checkpoint_that_was_resumed) {
  JobFacts job = survivor();
  job.attempts[0].checkpoints.pop_back();
  job.attempts[1].resumed_from = 20;
  job.attempts[1].ranks[0].first_printed = 21;
  EXPECT_EQ(interruptions_of(job)[0].steps_lost(), 20);
  begin_anew(job.attempts[1]);
  EXPECT_EQ(interruptions_of(job)[0].steps_lost(), 40) << "it was given step 20 and began anew";
}

TEST(Interruptions, are_answered_by_no_save_that_the_next_attempt_is_not_given) {
  JobFacts job = survivor();
  ASSERT_TRUE(interruptions_of(job)[0].save_took);
  job.attempts[1].resumed_from = 20;
  const InterruptionFacts seen = interruptions_of(job)[0];
  EXPECT_FALSE(seen.save_took);
  EXPECT_EQ(seen.torn_answer, 40);
  EXPECT_FALSE(judge(job).survived());
}

TEST(Interruptions, without_a_notice_cannot_be_answered_by_a_save) {
  JobFacts job = survivor();
  RankFacts& rank = job.attempts[0].ranks[0];
  rank.asked.reset();
  rank.vanished = true;
  rank.ended = seconds(30);
  job.attempts[0].checkpoints.pop_back();
  job.attempts[1].resumed_from = 20;
  const auto all = interruptions_of(job);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].noticed);
  EXPECT_EQ(all[0].steps_lost(), 20);
  EXPECT_TRUE(judge(job).survived());
}

TEST(Interruptions, lose_what_was_trained_in_the_attempt_and_not_what_was_given_to_it) {
  JobFacts job = three_times();
  // Saved 881 once; each later attempt is given it and begins anew, and the run is over in the third.
  job.attempts[0].checkpoints = {{.step = 881, .at = seconds(32)}};
  job.attempts[0].ranks[0].last_printed = 881;
  for (std::size_t i : {1U, 2U}) {
    job.attempts[i].resumed_from = 881;
    begin_anew(job.attempts[i]);
    job.attempts[i].checkpoints = {{.step = 6, .at = job.attempts[i].ranks[0].began + seconds(21), .printed = 6}};
    job.attempts[i].ranks[0].last_printed = 6;
  }
  job.attempts.pop_back();
  job.outcome = JobFacts::Outcome::Running;
  const auto all = interruptions_of(job);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].steps_lost(), 881);
  EXPECT_EQ(all[1].steps_lost(), 6);
  EXPECT_EQ(all[2].steps_lost(), 0) << "what was saved last is there to go on from";
  job.attempts[2].checkpoints.clear();
  begin_anew(job.attempts[2]);
  EXPECT_LE(interruptions_of(job)[2].steps_lost(), 6) << "there was no attempt after it";
}

TEST(Interruptions, of_who_prints_other_numbers_than_it_saves_have_lost_steps_that_nobody_knows) {
  JobFacts job = survivor();
  job.attempts[0].checkpoints = {{.step = 1, .at = seconds(20), .printed = 500},
                                 {.step = 2, .at = seconds(25), .printed = 500}};
  job.attempts[0].ranks[0].last_printed = 300;
  job.attempts[1].resumed_from = 2;
  EXPECT_FALSE(interruptions_of(job)[0].steps_known) << "300 steps of the third epoch";
  EXPECT_FALSE(judge(job).survived()) << "and nothing was saved";
}

TEST(Interruptions, that_left_half_a_checkpoint_have_lost_its_step_whatever_was_saved_before) {
  for (const Duration periodic : {seconds(29), seconds(31)}) {
    JobFacts job = survivor();
    for (RankFacts* rank : {&job.attempts[0].ranks[0], &job.attempts[1].ranks[0]})
      rank->first_printed.reset(), rank->last_printed.reset();
    job.attempts[0].checkpoints = {{.step = 50, .at = periodic}, {.step = 89, .at = seconds(32), .complete = false}};
    job.attempts[1].resumed_from = 50;
    job.attempts[1].checkpoints = {{.step = 100, .at = seconds(70)}};
    EXPECT_EQ(interruptions_of(job)[0].steps_lost(), 39);
    ASSERT_FALSE(judge(job).survived()) << "a periodic save within the notice is not its answer";
    EXPECT_EQ(judge(job).findings[0].reason, Reason::TornCheckpoint);
    EXPECT_THAT(judge(job).findings[0].what, HasSubstr("(step 89)"));
  }
}

TEST(Interruptions, that_leave_half_of_what_was_complete_before_have_lost_it) {
  JobFacts job = survivor();
  job.attempts[0].checkpoints = {{.step = 40, .at = seconds(29)}, {.step = 40, .at = seconds(32), .complete = false}};
  job.attempts[1].resumed_from.reset();
  EXPECT_EQ(interruptions_of(job)[0].step_saved, std::nullopt);
  ASSERT_FALSE(judge(job).survived());
  EXPECT_EQ(judge(job).findings[0].reason, Reason::TornCheckpoint);
}

TEST(Interruptions, come_from_outside_and_not_from_a_rank_that_crashes) {
  JobFacts job = survivor();
  RankFacts peer = job.attempts[0].ranks[0];
  peer.rank = 1;
  peer.asked.reset();
  peer.exit_code = 3;
  peer.last_output = "boom";
  peer.ended = seconds(29);
  job.attempts[0].ranks.push_back(peer);
  job.outcome = JobFacts::Outcome::Failed;
  job.attempts.pop_back();
  EXPECT_TRUE(interruptions_of(job).empty()) << "the other was asked because this one was gone";
  const Verdict verdict = judge(job);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].reason, Reason::TrainerFailed);
  EXPECT_THAT(verdict.findings[0].what, HasSubstr("boom"));
}

TEST(Interruptions, are_not_the_failure_of_a_rank_that_dies_of_a_peer_that_was_interrupted) {
  JobFacts job = survivor();
  AttemptFacts& again = job.attempts[1];
  again.ranks[0].asked = seconds(80);
  again.ranks[0].exit_code = 143;
  again.ranks.push_back({.rank = 1, .began = seconds(60), .ended = seconds(81), .exit_code = 1});
  again.checkpoints.push_back({.step = 70, .at = seconds(82)});
  AttemptFacts last{.number = 3, .resumed_from = 70};
  last.ranks = {{.rank = 0, .began = seconds(110), .ended = seconds(140), .finished = true, .first_printed = 71}};
  job.attempts.push_back(last);
  EXPECT_EQ(interruptions_of(job).size(), 2U);
  EXPECT_TRUE(judge(job).survived());
}

TEST(Verdict, an_interruption_is_lost_where_a_finding_is_about_it_and_no_other) {
  using ::testing::ElementsAre;
  EXPECT_TRUE(judge(three_times()).survived());
  EXPECT_THAT(judge(three_times()).lost, IsEmpty());
  JobFacts job = three_times();
  job.attempts[1].ranks[0].on_term = Disposition::Default;
  job.attempts[1].checkpoints = {{.step = 50, .at = seconds(70)}};
  job.attempts[2].resumed_from = 50;
  job.attempts[2].ranks[0].first_printed = 50;
  EXPECT_THAT(judge(job).lost, ElementsAre(1U)) << "it had saved nothing";
  job = three_times();
  job.attempts[2].checkpoints = {{.step = 30, .at = seconds(131)}};
  job.attempts[2].ranks[0].last_printed = 30;
  EXPECT_THAT(judge(job).lost, ElementsAre(1U)) << "the attempt after it began anew";
  job = three_times();
  fail_at_load(job.attempts[3]);
  job.outcome = JobFacts::Outcome::Failed;
  EXPECT_THAT(judge(job).lost, ElementsAre(2U)) << "the attempt after it could not load";
  job = three_times();
  job.bytes_used = 2000;
  EXPECT_THAT(judge(job).lost, ElementsAre(0U, 1U, 2U)) << "a full volume is about all of them";
}

TEST(Verdict, attempts_that_show_nothing_are_lost_with_one_that_began_anew) {
  JobFacts job = three_times();
  for (AttemptFacts& each : job.attempts) each.ranks[0].first_printed.reset(), each.ranks[0].last_printed.reset();
  job.attempts[1].checkpoints[0].step = 30;
  job.attempts[2].resumed_from = job.attempts[3].resumed_from = 40;
  job.attempts[2].checkpoints.clear();
  EXPECT_EQ(judge(job).findings.at(0).reason, Reason::ResumedFromZero);
  EXPECT_THAT(judge(job).findings.at(0).what, HasSubstr("given step 40 and wrote a checkpoint of step 30"));
  EXPECT_EQ(judge(job).lost.size(), 3U);
}

TEST(Verdict, attempts_that_save_nothing_further_are_named_and_no_claim_is_made_how_they_began) {
  JobFacts job = three_times();
  for (AttemptFacts& each : job.attempts) {
    each.ranks[0].first_printed.reset(), each.ranks[0].last_printed.reset();
    for (CheckpointFacts& checkpoint : each.checkpoints) checkpoint.step = 40;
    if (each.resumed_from) each.resumed_from = 40;
  }
  job.attempts.pop_back();
  job.outcome = JobFacts::Outcome::Stalled;
  job.message = "3 attempts in a row brought no newer checkpoint";
  const Verdict verdict = judge(job);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].reason, Reason::NoProgress);
  EXPECT_THAT(verdict.findings[0].what, HasSubstr("attempts 2 to 3 were each given step 40"));
  EXPECT_THAT(verdict.lost, ::testing::ElementsAre(0U, 1U));
}

}  // namespace
}  // namespace reprise::rehearsal
