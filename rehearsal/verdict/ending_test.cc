// A notice that comes between a trainer's last checkpoint and its exit.
#include <gtest/gtest.h>

#include "rehearsal/verdict/testing/sample_jobs.h"
#include "rehearsal/verdict/verdict.h"

namespace reprise::rehearsal {
namespace {

using std::chrono::seconds;
using testing::survivor;

// Saved step 100, its last, and was asked while it shut down; the next attempt finds nothing left to do.
JobFacts asked_at_the_end() {
  JobFacts job = survivor();
  AttemptFacts& last = job.attempts[0];
  last.ranks[0].on_term = Disposition::Default;
  last.ranks[0].handled_earlier = true;
  last.ranks[0].last_printed = 100;
  last.checkpoints = {{.step = 100, .at = seconds(29), .bytes = 10}};
  job.attempts[1].resumed_from = 100;
  job.attempts[1].ranks[0].first_printed.reset();
  job.attempts[1].ranks[0].last_printed.reset();
  job.attempts[1].checkpoints.clear();
  return job;
}

TEST(Verdict, a_trainer_that_is_asked_while_it_shuts_down_has_a_handler) {
  const Verdict verdict = judge(asked_at_the_end());
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].reason, Reason::NothingRehearsed) << "its end shows nothing of how it takes a notice";

  JobFacts later = survivor();
  AttemptFacts end = asked_at_the_end().attempts[0];
  end.number = 2;
  later.attempts.insert(later.attempts.begin() + 1, end);
  later.attempts[1].resumed_from = 40;
  later.attempts[2] = asked_at_the_end().attempts[1];
  later.attempts[2].number = 3;
  EXPECT_TRUE(judge(later).survived()) << "it saved on the first notice";
}

TEST(Verdict, what_a_trainer_loses_while_it_shuts_down_is_held_against_it) {
  JobFacts job = asked_at_the_end();
  job.attempts[0].checkpoints[0].step = 80;
  job.attempts[1].resumed_from = 80;
  const Verdict verdict = judge(job);
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_EQ(verdict.findings[0].reason, Reason::NoCheckpointAfterNotice);
}

}  // namespace
}  // namespace reprise::rehearsal
