// Checkpoints that may be deleted from a volume, from restore to watch: only what trainers of the job have made while
// an agent looked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <ctime>

#include "agent/core/restore/restore.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::VolumeTest;

class MadeCheckpointsTest : public VolumeTest {
 protected:
  void complete_at(const std::string& name, std::int64_t second) const {
    const runtime::WallTime completed{std::chrono::seconds(second)};
    fs::last_write_time(root() / name / "_COMPLETE", fs::file_time_type::clock::from_sys(completed));
  }
};

TEST_F(MadeCheckpointsTest, what_was_there_before_the_trainer_ran_is_never_pruned) {
  for (const char* name : {"imagenet-12", "step-1", "step-2"}) checkpoint(name);
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  CheckpointWatch watch(volume_, {.resumed_path = restored->point.path,
                                  .keep = 1,
                                  .prunes = true,
                                  .before = restored->before,
                                  .made = restored->made,
                                  .self = self_});
  watch.look();
  for (const char* name : {"step-20", "step-30"}) {
    checkpoint(name);
    watch.look();
  }
  EXPECT_THAT(*volume_->files.list(root()), ElementsAre(".reprise", "imagenet-12", "step-1", "step-2", "step-30"));
}

TEST_F(MadeCheckpointsTest, the_list_does_not_grow_with_attempts_that_write_to_the_same_directories) {
  for (int attempt = 1; attempt <= 5; ++attempt) {
    self_.attempt = attempt;
    const auto restored = restore(*volume_, env_, self_);
    ASSERT_TRUE(restored);
    CheckpointWatch watch(volume_, {.resumed_path = restored->point.path,
                                    .prunes = true,
                                    .before = restored->before,
                                    .made = restored->made,
                                    .self = self_});
    for (const char* name : {"ckpt-0", "ckpt-1"}) {
      checkpoint(name);
      complete_at(name, 1'000 + attempt);
      watch.look();
    }
  }
  EXPECT_LE(read_made(*volume_)->size(), 4U);
  for (const char* name : {"ckpt-0", "ckpt-1"}) EXPECT_TRUE(made_by("job", name, *read_made(*volume_)));
}

TEST_F(MadeCheckpointsTest, what_an_earlier_attempt_of_the_job_has_made_is_known_to_the_next) {
  checkpoint("step-1");
  CheckpointWatch first(volume_, {.keep = 1, .prunes = true, .self = self_});
  first.look();
  Identity next = self_;
  next.attempt = 3;
  const auto restored = restore(*volume_, env_, next);
  ASSERT_TRUE(restored);
  CheckpointWatch watch(volume_, {.resumed_path = restored->point.path,
                                  .keep = 1,
                                  .prunes = true,
                                  .before = restored->before,
                                  .made = restored->made,
                                  .self = next});
  checkpoint("step-2");
  watch.look();
  EXPECT_THAT(*volume_->files.list(root()), ElementsAre(".reprise", "step-2"));
  EXPECT_EQ(read_made(*volume_)->size(), 1U) << "what is gone needs no entry";
}

TEST_F(MadeCheckpointsTest, a_lower_number_completed_later_is_resumed_from_and_reported_and_nothing_is_pruned) {
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true, .self = self_});
  int completed_later = 0;
  for (const char* name : {"ckpt-30", "ckpt-31", "ckpt-1"}) {
    checkpoint(name);
    complete_at(name, std::time(nullptr) + ++completed_later);
    watch.look();
  }
  EXPECT_EQ(watch.seen().durable->name, "ckpt-1");
  EXPECT_THAT(watch.seen().out_of_order, HasSubstr("ckpt-1 was completed after ckpt-31"));
  EXPECT_TRUE(exists("ckpt-31"));
  EXPECT_TRUE(exists("ckpt-1"));
  Identity next = self_;
  next.attempt = 3;
  env_.expected_step = 31;
  EXPECT_EQ(restore(*volume_, env_, next)->point.path, "ckpt-1");
}

TEST_F(MadeCheckpointsTest, torn_checkpoints_of_the_job_go_when_a_newer_one_is_durable) {
  checkpoint("step-10");
  checkpoint("epoch-logs-2", false);  // somebody's
  Identity self = self_;
  for (const char* torn : {"step-21", "step-22", "step-23"}) {
    const auto restored = restore(*volume_, env_, self);
    ASSERT_TRUE(restored);
    CheckpointWatch watch(volume_, {.resumed_path = restored->point.path,
                                    .keep = 2,
                                    .prunes = true,
                                    .before = restored->before,
                                    .made = restored->made,
                                    .self = self});
    watch.look();
    checkpoint(torn, false);
    watch.look();
    ++self.attempt;
  }
  const auto restored = restore(*volume_, env_, self);
  ASSERT_TRUE(restored);
  EXPECT_THAT(*volume_->files.list(volume_->layout.torn()), ElementsAre("step-21.3", "step-22.4", "step-23.5"))
      << "nothing newer is complete";
  CheckpointWatch watch(volume_, {.resumed_path = restored->point.path,
                                  .keep = 2,
                                  .prunes = true,
                                  .before = restored->before,
                                  .made = restored->made,
                                  .self = self});
  watch.look();
  EXPECT_TRUE(exists(".reprise/torn/step-23.5")) << "step-10 is no newer one";
  checkpoint("step-20");
  watch.look();
  EXPECT_THAT(*volume_->files.list(volume_->layout.torn()), IsEmpty());
  EXPECT_TRUE(exists("epoch-logs-2")) << "nobody saw a trainer of this job make it";
}

TEST_F(MadeCheckpointsTest, without_rename_a_torn_checkpoint_of_the_job_goes_from_where_it_is) {
  calls_->rename_problem = EOPNOTSUPP;
  checkpoint("step-10");
  CheckpointWatch first(volume_, {.prunes = true, .self = self_});
  checkpoint("step-20", false);
  first.look();
  Identity next = self_;
  next.attempt = 3;
  const auto restored = restore(*volume_, env_, next);
  ASSERT_TRUE(restored);
  CheckpointWatch watch(volume_, {.resumed_path = restored->point.path,
                                  .keep = 2,
                                  .prunes = true,
                                  .before = restored->before,
                                  .made = restored->made,
                                  .self = next});
  watch.look();
  EXPECT_TRUE(exists("step-20"));
  checkpoint("step-30");
  watch.look();
  EXPECT_FALSE(exists("step-20"));
  EXPECT_TRUE(exists("step-30/_COMPLETE"));
}

}  // namespace
}  // namespace reprise::agent
