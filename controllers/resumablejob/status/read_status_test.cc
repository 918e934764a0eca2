// An upgrade must lose nothing that an earlier version remembered in conditions and in messages.
#include "controllers/resumablejob/status/read_status.h"

#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using testing::JobWorld;
using testing::running_job;

// As an earlier version left it: without the fields that are new.
void as_before(api::ResumableJobStatus& status) {
  status.last_end.reset();
  status.checkpoint_lost.reset();
  status.ready_attempt = 0;
  if (status.last_interruption) status.last_interruption->recovered_time.reset();
}

const char* const kLost =
    R"({"attempt":1,"index":0,"exitCode":86,"step":60,"reason":"CheckpointLost","message":"step 120 is gone"})";

JobWorld with_lost_checkpoint() {
  JobWorld world = running_job();
  world.exit("fit-1-0", 86, kLost);
  world.settle();
  return world;
}

TEST(ReadOldStatus, a_job_that_waits_for_a_person_after_a_lost_checkpoint_goes_on_waiting) {
  JobWorld world = with_lost_checkpoint();
  ASSERT_EQ(world.state("Stalled"), "True/CheckpointLost");
  const std::string message(world.condition("Stalled").message);
  as_before(world.job_.status);
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_EQ(std::string(world.condition("Stalled").message), message);
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(ReadOldStatus, the_step_that_was_offered_can_still_be_accepted) {
  JobWorld world = with_lost_checkpoint();
  ASSERT_TRUE(world.status().checkpoint_lost);
  const auto offered = world.status().checkpoint_lost->offered_step;
  as_before(world.job_.status);
  const auto read = read_old_status(world.job_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->status.checkpoint_lost->offered_step, offered);
}

TEST(ReadOldStatus, a_finished_job_stays_finished_and_is_not_written_again) {
  JobWorld world = running_job();
  world.exit_all(0);
  world.settle();
  ASSERT_EQ(world.state("Complete"), "True/Completed");
  as_before(world.job_.status);
  const api::ResumableJobStatus before = world.status();
  world.settle();
  EXPECT_EQ(world.status(), before);
  EXPECT_EQ(world.state("Complete"), "True/Completed");
}

// An earlier version that was put back for a while does not know the fields, and leaves them as they were.
TEST(ReadOldStatus, a_job_that_an_earlier_version_completed_after_a_rollback_has_not_failed) {
  JobWorld world = running_job();
  world.exit_all(0);
  world.settle();
  ASSERT_EQ(world.state("Complete"), "True/Completed");
  api::ResumableJobStatus& status = world.job_.status;
  status.attempt = 5;
  status.last_end = api::AttemptEnd{.attempt = 2, .cause = api::AttemptEndCause::Interruption};
  const api::ResumableJobStatus before = status;
  world.settle();
  EXPECT_EQ(world.state("Complete"), "True/Completed");
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
  EXPECT_EQ(world.status(), before);
}

TEST(ReadOldStatus, a_lost_checkpoint_that_an_earlier_version_has_left_behind_holds_no_attempt_back) {
  JobWorld world = with_lost_checkpoint();
  api::ResumableJobStatus& status = world.job_.status;
  ASSERT_TRUE(status.checkpoint_lost);
  status.attempt = 4;  // begun and interrupted by that version
  ConditionSetter(status.conditions, 1, world.now_).set_false("Stalled", "Progressing", "nothing blocks the job");
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_EQ(world.status().attempt, 5);
}

TEST(ReadOldStatus, an_attempt_that_runs_is_not_said_to_have_started_again) {
  JobWorld world = running_job();
  as_before(world.job_.status);
  world.announced_.clear();
  world.settle();
  EXPECT_TRUE(world.announced_.empty());
  EXPECT_EQ(world.state("PodsReady"), "True/Started");
}

TEST(ReadOldStatus, an_end_that_was_decided_keeps_its_meaning) {
  JobWorld world = running_job();
  api::ResumableJob& job = world.job_;
  job.status.attempt_end = api::AttemptEnd{.attempt = 1, .cause = api::AttemptEndCause::IgnoredFailure};
  job.status.attempt_end->reason = "PodRejected";
  EXPECT_EQ(read_old_status(job)->status.attempt_end->cause, api::AttemptEndCause::Rejected);
  job.status.attempt_end->reason = "CheckpointLost";
  EXPECT_EQ(read_old_status(job)->status.attempt_end->cause, api::AttemptEndCause::Refused);
  job.status.attempt_end->reason = "PoolChanged";
  EXPECT_EQ(read_old_status(job)->status.attempt_end->cause, api::AttemptEndCause::Outdated);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
