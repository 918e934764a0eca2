// Evidence against an end with 0, and against a save of which parts are missing.
#include <gtest/gtest.h>

#include "rehearsal/verdict/ending.h"
#include "rehearsal/verdict/testing/sample_jobs.h"
#include "rehearsal/verdict/verdict.h"

namespace reprise::rehearsal {
namespace {

using std::chrono::seconds;
using testing::survivor;

Reason first_reason(const JobFacts& job) {
  const Verdict verdict = judge(job);
  EXPECT_FALSE(verdict.findings.empty());
  return verdict.findings.empty() ? Reason::NotResumed : verdict.findings.front().reason;
}

TEST(Evidence, an_end_with_0_behind_an_error_is_not_survived) {
  using Lines = std::vector<std::string>;
  for (const Lines& lines : {
           Lines{"step 150 of 200", "Traceback (most recent call last):", "  File \"t.py\", line 1",
                 "RuntimeError: CUDA error: an illegal memory access was encountered"},
           Lines{"torch.cuda.OutOfMemoryError: CUDA out of memory", "cp: done"},
           Lines{"step 3", "Segmentation fault (core dumped)"},
       }) {
    JobFacts job = survivor();
    job.attempts[1].ranks[0].last_lines = lines;
    EXPECT_EQ(first_reason(job), Reason::EndedInError) << lines.back();
    EXPECT_TRUE(judge(job).lost.empty()) << "it failed with all interruptions behind it";
  }
  for (const Lines& lines : {Lines{"ValueError: caught", "step 199", "done"}, Lines{"UserWarning: x", "loss 0.1"},
                             Lines{"saved: no Error"}, Lines{}}) {
    JobFacts job = survivor();
    job.attempts[1].ranks[0].last_lines = lines;
    EXPECT_TRUE(judge(job).survived());
  }
}

TEST(Evidence, an_end_with_0_far_from_the_last_step_is_not_survived) {
  JobFacts job = survivor();
  RankFacts& rank = job.attempts[1].ranks[0];
  rank.last_printed = 150;
  rank.printed_total = 200;
  rank.counts_by = 1;
  EXPECT_EQ(first_reason(job), Reason::EndedShort);
  rank.last_printed = 199;
  EXPECT_TRUE(judge(job).survived()) << "it counts from 0";
  rank.last_printed = 150;
  rank.counts_by = 50;
  EXPECT_TRUE(judge(job).survived()) << "it prints every 50 steps";
}

// The trainer ends before the first interruption.
TEST(Evidence, who_dies_of_an_error_or_stops_short_has_not_finished_before_it_was_interrupted) {
  JobFacts job = survivor();
  job.attempts.resize(1);
  RankFacts& rank = job.attempts[0].ranks[0];
  rank.asked.reset();
  rank.exit_code = 0;
  rank.last_lines = {"step 10", "RuntimeError: CUDA error"};
  EXPECT_EQ(first_reason(job), Reason::EndedInError);
  job.attempts[0].checkpoints.clear();
  EXPECT_EQ(first_reason(job), Reason::EndedInError);
  rank.last_lines = {"step 10"};
  EXPECT_EQ(first_reason(job), Reason::EndedTooEarly);
  rank.last_printed = 10;
  rank.printed_total = 200;
  rank.counts_by = 1;
  EXPECT_EQ(first_reason(job), Reason::EndedShort);
}

TEST(Evidence, a_trainer_that_had_nothing_left_to_do_shows_nothing) {
  JobFacts job = survivor();
  AttemptFacts& last = job.attempts[1];
  last.checkpoints.clear();
  last.ranks[0].first_printed.reset();
  last.ranks[0].last_printed.reset();
  EXPECT_TRUE(judge(job).survived()) << "it ran for longer than before: it may have trained";
  last.ranks[0].ended = last.ranks[0].began + seconds(1);
  EXPECT_EQ(first_reason(job), Reason::NothingRehearsed);
  EXPECT_TRUE(judge(job).open());
}

TEST(Evidence, a_second_life_after_the_save_is_not_survived) {
  JobFacts job = survivor();
  job.attempts[0].checkpoints = {
      {.step = 20, .at = seconds(20)}, {.step = 40, .at = seconds(32)}, {.step = 31, .at = seconds(33)}};
  job.attempts[1].resumed_from = 31;
  EXPECT_EQ(first_reason(job), Reason::StartedAgain);
  EXPECT_TRUE(judge(job).lost.contains(0));
  job.attempts[0].checkpoints[0].step = 50;
  EXPECT_FALSE(second_life(job, interruptions_of(job)[0])) << "numbers that are no steps";
}

JobFacts with_parts(std::size_t before, std::size_t after) {
  JobFacts job = survivor();
  job.attempts[0].checkpoints.clear();
  for (std::size_t i = 0; i < before; ++i) job.attempts[0].checkpoints.push_back({.step = 20, .at = seconds(20)});
  for (std::size_t i = 0; i < after; ++i) job.attempts[0].checkpoints.push_back({.step = 40, .at = seconds(32)});
  return job;
}

TEST(Evidence, a_last_save_that_lacks_parts_is_torn) {
  EXPECT_TRUE(judge(with_parts(4, 4)).survived());
  EXPECT_EQ(first_reason(with_parts(4, 3)), Reason::TornCheckpoint);
  EXPECT_TRUE(judge(with_parts(1, 1)).survived());
  JobFacts job = with_parts(4, 3);
  job.attempts[0].checkpoints.push_back({.step = 40, .at = seconds(31), .complete = false});
  EXPECT_EQ(first_reason(job), Reason::TornCheckpoint) << "its mark never came";
  job.attempts[0].ranks[0].killed = true;
  EXPECT_EQ(first_reason(job), Reason::SaveTooSlow);
}

}  // namespace
}  // namespace reprise::rehearsal
