// What index 0 publishes when the volume changes under its restore.
#include "agent/core/restore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "agent/core/made_checkpoints.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RestoreTest : public testing_support::VolumeTest {};

// Putting the torn ones aside takes minutes on a slow volume.
TEST_F(RestoreTest, what_is_damaged_while_others_are_put_aside_is_not_published) {
  checkpoint("step-10");
  checkpoint("step-20");
  checkpoint("step-30", false);
  calls_->on_call = [this] {
    if (exists(".reprise/quarantine/step-30.2")) std::filesystem::remove(root() / "step-20" / "_COMPLETE");
  };
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->point.path, "step-10");
  EXPECT_EQ((*read_resume_point(*volume_, self_))->path, "step-10");
  EXPECT_TRUE(exists(".reprise/quarantine/step-20.2"));
  EXPECT_THAT(restored->notes, ElementsAre(HasSubstr("step-30"), HasSubstr("step-20")));
}

TEST_F(RestoreTest, what_is_damaged_meanwhile_and_was_expected_refuses_all_ranks) {
  checkpoint("step-10");
  checkpoint("step-20");
  checkpoint("step-30", false);
  env_.expected_step = 20;
  calls_->on_call = [this] {
    if (exists(".reprise/quarantine/step-30.2")) std::filesystem::remove(root() / "step-20" / "_COMPLETE");
  };
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  EXPECT_THAT(restored->point.refusal, HasSubstr("the newest complete one is step-10"));
}

// On an object store nothing is moved to where all but the last go.
TEST_F(RestoreTest, of_the_torn_ones_that_cannot_be_moved_those_of_earlier_attempts_go) {
  calls_->rename_problem = EOPNOTSUPP;
  for (const char* name : {"step-10", "step-20"}) checkpoint(name);
  checkpoint("step-90", false);  // nobody saw it appear
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const std::string name = "step-" + std::to_string(20 + attempt);
    checkpoint(name, false);
    ASSERT_TRUE(write_made(*volume_, {.order = attempt, .name = name, .job_uid = "job", .attempt = attempt}));
  }
  self_.attempt = 4;
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->point.path, "step-20");
  EXPECT_THAT(*volume_->files.list(root()), ElementsAre(".reprise", "step-10", "step-20", "step-23", "step-90"));
}

}  // namespace
}  // namespace reprise::agent
