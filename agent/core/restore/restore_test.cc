// Index 0 publishes this when the volume changes under its restore.
#include "agent/core/restore/restore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/core/watch/made_checkpoints.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RestoreTest : public testing_support::VolumeTest {};

// Putting the torn ones aside takes minutes on a slow volume.
TEST_F(RestoreTest, what_is_damaged_while_others_are_put_aside_is_not_published) {
  began();
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

TEST_F(RestoreTest, what_is_damaged_meanwhile_and_was_expected_rejects_all_ranks) {
  began();
  checkpoint("step-10");
  checkpoint("step-20");
  checkpoint("step-30", false);
  env_.expected_step = 20;
  calls_->on_call = [this] {
    if (exists(".reprise/quarantine/step-30.2")) std::filesystem::remove(root() / "step-20" / "_COMPLETE");
  };
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  EXPECT_THAT(restored->point.rejection, HasSubstr("the newest complete one is step-10"));
}

// An incremental checkpoint: its unchanged shards are links into the one before, whose marker a cache may hide.
TEST_F(RestoreTest, a_torn_checkpoint_that_a_complete_one_links_to_stays_where_it_is) {
  began();
  checkpoint("step-10", false);
  checkpoint("step-20", false);
  checkpoint("step-30");
  checkpoint("step-25", false);
  std::filesystem::create_symlink("../step-20/state.bin", root() / "step-30" / "base.bin");
  std::filesystem::create_symlink("../step-10/state.bin", root() / "step-20" / "base.bin");
  std::filesystem::create_directory_symlink("step-25", root() / "latest");
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->point.path, "step-30");
  EXPECT_TRUE(exists("step-30/base.bin"));  // follows the link
  EXPECT_TRUE(exists("step-20/base.bin"));
  EXPECT_FALSE(exists("step-25"));
}

TEST_F(RestoreTest, no_torn_checkpoint_is_moved_while_the_links_of_a_complete_one_cannot_be_read) {
  checkpoint("step-20", false);
  checkpoint("step-30");
  std::filesystem::create_symlink(std::string(300, 'x'), root() / "step-30" / "too-long-to-follow");
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  EXPECT_TRUE(exists("step-20"));
}

// Millions of files, or a directory that is closed: the trainer waits for none of it.
TEST_F(RestoreTest, data_with_a_marker_is_not_searched_for_links) {
  began();
  env_.format = "Auto";
  checkpoint("imagenet-2012");
  checkpoint("step-10");
  checkpoint("step-20", false);
  ASSERT_TRUE(write_made(*volume_, {.order = 1, .name = "step-10", .job_uid = "job", .attempt = 1}));
  std::filesystem::create_symlink(std::string(300, 'x'), root() / "imagenet-2012" / "too-long-to-follow");
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->point.path, "step-10");
  EXPECT_FALSE(exists("step-20"));
}

// The restore begins anew when what it chose is damaged: that is no second look at what it has just put aside.
TEST_F(RestoreTest, what_a_restore_has_put_aside_as_torn_it_never_deletes_itself) {
  int order = 0;
  for (const char* name : {"step-10", "step-20", "step-30"}) {
    checkpoint(name, name != std::string("step-30"));
    ASSERT_TRUE(write_made(*volume_, {.order = ++order, .name = name, .job_uid = "job", .attempt = 1}));
  }
  calls_->on_call = [this] {
    if (exists(".reprise/torn/step-30.2")) std::filesystem::remove(root() / "step-20" / "_COMPLETE");
  };
  EXPECT_EQ(restore(*volume_, env_, self_)->point.path, "step-10");
  EXPECT_TRUE(exists(".reprise/torn/step-20.2"));
  EXPECT_TRUE(exists(".reprise/torn/step-30.2"));
}

}  // namespace
}  // namespace reprise::agent
