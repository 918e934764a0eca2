#include "rehearsal/verdict/left_in_the_way.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rehearsal/verdict/testing/sample_jobs.h"
#include "rehearsal/verdict/verdict.h"

namespace reprise::rehearsal {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

// The first attempt is killed in its only save; the second ends with an error in the same save.
JobFacts refusing(const std::string& last_line) {
  JobFacts job = testing::survivor();
  testing::without_checkpoints(job);
  job.outcome = JobFacts::Outcome::Failed;
  job.attempts[0].ranks[0].killed = true;
  job.attempts[0].checkpoints = {{.step = 20, .at = seconds(32), .complete = false, .name = "epoch_0_step_20"}};
  testing::fail_at_load(job.attempts[1]);
  job.attempts[1].ranks[0].last_lines = {last_line};
  return job;
}

std::string findings_of(const JobFacts& job) {
  std::string all;
  for (const Finding& each : judge(job).findings) all += std::string(name(each.reason)) + ": " + each.what + "\n";
  return all;
}

TEST(LeftInTheWay, a_refused_directory_of_an_unfinished_save_is_named) {
  const JobFacts job = refusing("RuntimeError: epoch_0_step_20 exists, and overwriting is not allowed");
  EXPECT_THAT(findings_of(job), HasSubstr("LeftInTheWay: rank 0 of attempt 2"));
  EXPECT_THAT(findings_of(job), HasSubstr("epoch_0_step_20"));
}

TEST(LeftInTheWay, a_path_and_quotes_around_the_name_hide_nothing) {
  for (const std::string line : {"FileExistsError: [Errno 17] File exists: '/checkpoints/epoch_0_step_20'",
                                 "cannot write /checkpoints/epoch_0_step_20/model.", "epoch_0_step_20"})
    EXPECT_THAT(findings_of(refusing(line)), HasSubstr("LeftInTheWay")) << line;
}

TEST(LeftInTheWay, another_name_is_no_reason) {
  for (const std::string line : {"RuntimeError: epoch_0_step_200 exists", "saved last_epoch_0_step_20", "step 20"})
    EXPECT_THAT(findings_of(refusing(line)), Not(HasSubstr("LeftInTheWay"))) << line;
}

TEST(LeftInTheWay, a_complete_checkpoint_is_in_nobodys_way) {
  JobFacts job = refusing("RuntimeError: epoch_0_step_20 exists");
  job.attempts[0].checkpoints[0].complete = true;
  EXPECT_THAT(findings_of(job), Not(HasSubstr("LeftInTheWay")));
}

TEST(LeftInTheWay, a_rank_that_did_not_fail_by_itself_says_nothing) {
  JobFacts job = refusing("epoch_0_step_20");
  job.attempts[1].ranks[0].exit_code = 0;
  job.attempts[1].ranks[0].finished = true;
  EXPECT_THAT(findings_of(job), Not(HasSubstr("LeftInTheWay")));
}

}  // namespace
}  // namespace reprise::rehearsal
