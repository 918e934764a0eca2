// Files on a volume, also on one that rejects rename or sync: scan, restore, watch, prune.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>

#include "agent/core/restore/restore.h"
#include "agent/core/retain/prune.h"
#include "agent/core/watch/watch.h"
#include "agent/formats/recognise/marker_format.h"
#include "agent/formats/search/checkpoint_scan.h"
#include "agent/process/resume_link.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::put_text;
using testing_support::text_in;
using testing_support::VolumeTest;

TEST_F(VolumeTest, a_text_is_written_and_no_temporary_file_stays) {
  ASSERT_TRUE(volume_->files.write(root() / "a" / "b" / "x.json", "long text", Sync::Yes));
  ASSERT_TRUE(volume_->files.write(root() / "a" / "b" / "x.json", "text", Sync::Yes));
  EXPECT_EQ(text_in(root() / "a/b/x.json"), "text");
  EXPECT_THAT(*volume_->files.list(root() / "a" / "b"), ElementsAre("x.json"));
}

TEST_F(VolumeTest, without_rename_a_text_is_written_in_place) {
  calls_->rename_problem = ENOSYS;
  ASSERT_TRUE(volume_->files.write(root() / "x.json", "a long text", Sync::Yes));
  ASSERT_TRUE(volume_->files.write(root() / "x.json", "short", Sync::Yes));
  EXPECT_EQ(text_in(root() / "x.json"), "short");
  EXPECT_THAT(*volume_->files.list(root()), ElementsAre("x.json"));
}

TEST_F(VolumeTest, a_root_that_has_gone_is_never_made_again) {
  fs::remove(root());
  const auto written = volume_->files.write(root() / ".reprise" / "x.json", "text", Sync::Yes);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("No such file"));
  EXPECT_FALSE(fs::exists(root()));
}

TEST_F(VolumeTest, a_move_never_replaces_what_is_there) {
  checkpoint("step-1");
  checkpoint("taken/step-1");
  EXPECT_FALSE(volume_->files.move(root() / "step-1", root() / "taken" / "step-1"));
  EXPECT_TRUE(exists("step-1/_COMPLETE"));
}

TEST_F(VolumeTest, a_scan_finds_checkpoints_newest_first_and_nothing_else) {
  checkpoint("step-9");
  checkpoint("step-10", false);
  checkpoint("run7");  // complete, whatever its name
  checkpoint("logs-2024", false);
  checkpoint(".step-99");
  checkpoint("final");
  put_text(root() / "step-50", "a file");
  fs::create_directory_symlink("step-9", root() / "step-60");
  const auto found = volume_->scan();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ((*found)[0].name, "step-10");
  EXPECT_FALSE((*found)[0].complete);
  EXPECT_EQ((*found)[1].name, "step-9");
  EXPECT_TRUE((*found)[1].complete);
  EXPECT_EQ((*found)[2].name, "run7");
}

TEST_F(VolumeTest, a_marker_that_leads_to_itself_completes_nothing_and_hides_no_other_checkpoint) {
  checkpoint("step-9");
  fs::create_directory(root() / "data-10");
  fs::create_symlink("_COMPLETE", root() / "data-10" / "_COMPLETE");
  const auto found = volume_->scan();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().name, "step-9");
}

// Refuses to say anything about directories of that name.
class ClosedFormat final : public CheckpointFormat {
 public:
  explicit ClosedFormat(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] runtime::Result<Checkpoints> discover(const VolumeFiles& files, const fs::path& root) const override {
    return scan_checkpoints(files, *this, root);
  }
  [[nodiscard]] runtime::Result<std::optional<runtime::WallTime>> completed(const VolumeFiles& files,
                                                                            const fs::path& directory) const override {
    if (directory.filename() == name_) return std::unexpected(system_error("read " + directory.string(), EACCES));
    return open_.completed(files, directory);
  }
  [[nodiscard]] runtime::Result<void> invalidate(const VolumeFiles& files, const fs::path& directory) const override {
    return open_.invalidate(files, directory);
  }

 private:
  std::string name_;
  MarkerFormat open_;
};

TEST_F(VolumeTest, a_directory_closed_to_the_trainer_hides_no_checkpoint_unless_its_name_says_that_it_is_one) {
  for (const char* name : {"backup-2024", "step-8", "step-9"}) checkpoint(name);
  EXPECT_EQ(posix_volume(root(), std::make_unique<ClosedFormat>("backup-2024"))->scan()->size(), 2U);
  EXPECT_FALSE(posix_volume(root(), std::make_unique<ClosedFormat>("step-9"))->scan());
}

TEST_F(VolumeTest, every_known_marker_completes_a_checkpoint_but_a_directory_of_that_name_does_not) {
  for (const char* marker : {"_COMPLETE", ".complete", "_SUCCESS"}) {
    put_text(root() / "step-1" / marker, "");
    EXPECT_TRUE(volume_->scan()->front().complete) << marker;
    ASSERT_TRUE(volume_->format->invalidate(volume_->files, root() / "step-1"));
    EXPECT_FALSE(volume_->scan()->front().complete) << marker;
  }
  fs::create_directory(root() / "step-1" / "_COMPLETE");
  EXPECT_FALSE(volume_->scan()->front().complete);
}

TEST_F(VolumeTest, a_volume_that_cannot_be_read_is_an_error_and_not_empty) {
  fs::remove(root());
  EXPECT_FALSE(volume_->scan());
  EXPECT_FALSE(restore(*volume_, env_, self_));
}

TEST_F(VolumeTest, restore_publishes_the_newest_complete_and_quarantines_the_torn) {
  began();
  checkpoint("step-10");
  checkpoint("step-20");
  checkpoint("step-30", false);
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->point.path, "step-20");
  EXPECT_TRUE(exists(".reprise/quarantine/step-30.2/state.bin"));
  EXPECT_FALSE(exists("step-30"));
  const auto published = read_resume_point(*volume_, self_);
  ASSERT_TRUE(published && *published);
  EXPECT_EQ((*published)->step, 20);
  Identity later = self_;
  later.attempt = 3;
  EXPECT_FALSE(*read_resume_point(*volume_, later));
  Identity other_job = self_;
  other_job.job_uid = "other";
  EXPECT_FALSE(*read_resume_point(*volume_, other_job));
}

TEST_F(VolumeTest, without_rename_a_torn_checkpoint_stays_and_is_reported) {
  checkpoint("step-20");
  checkpoint("step-30", false);
  calls_->rename_problem = EOPNOTSUPP;
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->point.path, "step-20");
  EXPECT_TRUE(restored->published);
  EXPECT_TRUE(exists("step-30"));
  EXPECT_THAT(restored->notes, ElementsAre(HasSubstr("step-30 was left in place")));
}

TEST_F(VolumeTest, from_scratch_without_rename_ignores_what_it_cannot_put_aside) {
  checkpoint("step-500");
  calls_->rename_problem = ENOSYS;
  env_.resume = ResumePolicy::FromScratch;
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  EXPECT_FALSE(restored->point.step);
  checkpoint("step-10");
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true, .ignored = restored->ignored});
  watch.look();
  EXPECT_EQ(watch.seen().durable->name, "step-10");
  EXPECT_TRUE(exists("step-500"));
  EXPECT_TRUE(exists("step-10"));
}

TEST_F(VolumeTest, from_scratch_leaves_data_in_place_and_never_takes_it_for_a_checkpoint_again) {
  checkpoint("step-500");
  checkpoint("model-2012");
  env_.format = "Auto";
  env_.resume = ResumePolicy::FromScratch;
  ASSERT_TRUE(restore(*volume_, env_, self_));
  EXPECT_TRUE(exists("model-2012/_COMPLETE"));
  EXPECT_TRUE(exists(".reprise/quarantine/step-500.2"));
  EXPECT_THAT(*volume_->scan(), IsEmpty());
}

// The next attempt would not know that it was made, and put aside what this one saves.
TEST_F(VolumeTest, a_start_from_scratch_that_cannot_be_written_down_is_not_made) {
  checkpoint("step-500");
  env_.resume = ResumePolicy::FromScratch;
  calls_->on_call = [&] {
    if (exists(".reprise/quarantine/step-500.2")) fs::create_directories(volume_->layout.resume_point(2));
  };
  EXPECT_FALSE(restore(*volume_, env_, self_));
  calls_->on_call = nullptr;
  fs::remove(volume_->layout.resume_point(2));
  const auto again = restore(*volume_, env_, self_);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->published);
}

TEST_F(VolumeTest, a_replaced_index_0_starts_nothing_from_scratch_over_what_its_attempt_has_saved) {
  checkpoint("step-500");
  env_.resume = ResumePolicy::FromScratch;
  ASSERT_TRUE(restore(*volume_, env_, self_));
  Identity replacement = self_;
  replacement.pod_uid = "another pod";
  EXPECT_THAT(restore(*volume_, env_, replacement)->outdated, IsEmpty());
  checkpoint("step-10");
  EXPECT_THAT(restore(*volume_, env_, replacement)->outdated, HasSubstr("step-10"));
}

TEST_F(VolumeTest, a_replaced_index_0_repeats_the_word_of_its_attempt) {
  checkpoint("step-20");
  ASSERT_TRUE(restore(*volume_, env_, self_));
  Identity replacement = self_;
  replacement.pod_uid = "another pod";
  const auto again = restore(*volume_, env_, replacement);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->point.path, "step-20");
  EXPECT_EQ(again->point.pod_uid, "pod");
  EXPECT_THAT(again->outdated, IsEmpty());
  checkpoint("step-30");
  const auto moved_on = restore(*volume_, env_, replacement);
  ASSERT_TRUE(moved_on);
  EXPECT_THAT(moved_on->outdated, HasSubstr("start a new attempt"));
}

TEST_F(VolumeTest, a_start_from_scratch_is_not_repeated_once_an_attempt_has_made_it) {
  env_.resume = ResumePolicy::FromScratch;
  env_.from_scratch_since = 2;
  checkpoint("step-500");
  EXPECT_EQ(*policy_in_force(*volume_, env_, self_), ResumePolicy::FromScratch);
  ASSERT_TRUE(restore(*volume_, env_, self_));
  EXPECT_EQ(*policy_in_force(*volume_, env_, self_), ResumePolicy::FromScratch);  // a replaced pod of that attempt
  Identity next = self_;
  next.attempt = 3;
  EXPECT_EQ(*policy_in_force(*volume_, env_, next), ResumePolicy::Latest);
  env_.from_scratch_since = 3;  // requested once more
  EXPECT_EQ(*policy_in_force(*volume_, env_, next), ResumePolicy::FromScratch);
  env_.from_scratch_since.reset();
  EXPECT_EQ(*policy_in_force(*volume_, env_, next), ResumePolicy::FromScratch);
}

TEST_F(VolumeTest, a_checkpoint_is_durable_only_after_the_sync_has_returned) {
  checkpoint("step-1");
  CheckpointWatch watch(volume_, {});
  calls_->on_sync = [&] {
    EXPECT_TRUE(watch.seen().newest);
    EXPECT_FALSE(watch.seen().durable);
  };
  watch.look();
  EXPECT_EQ(calls_->syncs, 1);
  EXPECT_EQ(watch.seen().durable->step, 1);
  EXPECT_EQ(watch.seen().size_bytes, 7);
  watch.look();
  EXPECT_EQ(calls_->syncs, 1);  // nothing new: nothing to sync
}

TEST_F(VolumeTest, a_checkpoint_that_its_trainer_takes_back_is_the_newest_no_more) {
  checkpoint("step-1");
  CheckpointWatch watch(volume_, {});
  watch.look();
  checkpoint("step-2");
  watch.look();
  ASSERT_EQ(watch.seen().durable->step, 2);
  fs::remove_all(root() / "step-2");
  watch.look();
  ASSERT_TRUE(watch.seen().durable);
  EXPECT_EQ(watch.seen().newest->step, 1);
  EXPECT_EQ(watch.seen().durable->step, 1);
  EXPECT_EQ(calls_->syncs, 3);
  fs::remove_all(root() / "step-1");
  watch.look();
  EXPECT_FALSE(watch.seen().newest);
  EXPECT_FALSE(watch.seen().durable);
}

TEST_F(VolumeTest, nothing_is_pruned_before_the_sync_has_returned_for_a_newer_one) {
  for (const char* name : {"step-1", "step-2", "step-3"}) checkpoint(name);
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true});
  calls_->sync_problem = EIO;
  watch.look();
  EXPECT_TRUE(exists("step-1"));
  EXPECT_TRUE(watch.seen().structure_only);
  EXPECT_THAT(watch.seen().not_proven, HasSubstr("syncfs"));
  calls_->sync_problem = 0;
  checkpoint_after_errors("step-4");
  if (!volume_->files.oldest_birth(root() / "step-4")) GTEST_SKIP() << "this file system keeps no births";
  calls_->on_sync = [&] { EXPECT_TRUE(exists("step-1") && exists("step-3")); };
  watch.look();
  EXPECT_EQ(calls_->syncs, 2);
  EXPECT_FALSE(exists("step-1"));
  EXPECT_FALSE(exists("step-3"));
  EXPECT_TRUE(exists("step-4/_COMPLETE"));
  EXPECT_THAT(watch.seen().problem, IsEmpty());
}

TEST_F(VolumeTest, who_does_not_keep_the_volume_or_is_fenced_prunes_nothing) {
  for (const char* name : {"step-1", "step-2"}) checkpoint(name);
  CheckpointWatch other_rank(volume_, {.keep = 1, .prunes = false});
  other_rank.look();
  EXPECT_TRUE(exists("step-1"));
  CheckpointWatch fenced(volume_, {.keep = 1, .prunes = true, .may_write = [] { return false; }});
  fenced.look();
  EXPECT_TRUE(exists("step-1"));
}

TEST_F(VolumeTest, pruning_leaves_what_is_no_checkpoint) {
  for (const char* name : {"step-1", "step-2", "final"}) checkpoint(name);
  checkpoint("logs-2024", false);
  CheckpointWatch(volume_, {.keep = 1, .prunes = true}).look();
  EXPECT_FALSE(exists("step-1"));
  EXPECT_TRUE(exists("final"));
  EXPECT_TRUE(exists("logs-2024"));
  EXPECT_THAT(*volume_->files.list(volume_->layout.trash()), IsEmpty());
}

TEST_F(VolumeTest, without_rename_a_pruned_checkpoint_is_incomplete_before_it_is_deleted) {
  checkpoint("step-1");
  calls_->rename_problem = ENOSYS;
  fs::permissions(root() / "step-1" / "state.bin", fs::perms::none);
  ASSERT_TRUE(prune(*volume_, "step-1"));
  EXPECT_FALSE(exists("step-1"));
}

TEST_F(VolumeTest, trash_of_an_earlier_agent_is_emptied) {
  put_text(volume_->layout.trash() / "step-1" / "state.bin", "half deleted");
  checkpoint("step-2");
  CheckpointWatch(volume_, {.keep = 1, .prunes = true}).look();
  EXPECT_FALSE(exists(".reprise/trash/step-1"));
}

TEST_F(VolumeTest, the_link_has_the_checkpoints_name_and_goes_away) {
  checkpoint("step-7");
  std::string made;
  {
    const ResumeLink link(root() / "step-7", {root() / "missing", root()});
    made = link.path();
    EXPECT_TRUE(fs::is_symlink(made));
    EXPECT_EQ(fs::path(made).filename(), "step-7");
    EXPECT_EQ(text_in(fs::path(made) / "state.bin"), "weights");
  }
  EXPECT_FALSE(fs::exists(fs::path(made).parent_path()));
}

TEST_F(VolumeTest, where_no_link_can_be_made_the_checkpoints_own_path_is_taken) {
  const ResumeLink link(root() / "step-7", {root() / "missing"});
  EXPECT_EQ(link.path(), (root() / "step-7").string());
}

}  // namespace
}  // namespace reprise::agent
