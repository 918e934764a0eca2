// A start judges a disk after an end that an agent saw, and after one that none did.
#include "agent/core/proofs/unproven.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "agent/core/aside/list_checkpoints.h"
#include "agent/core/proofs/proofs.h"
#include "agent/core/record/record.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/checkpoint_files.h"
#include "agent/testing/lost_machine.h"

namespace reprise::agent {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::put_text;

TEST(UnseenEnd, is_one_of_a_rank_without_a_record_or_with_one_that_says_that_not_all_was_synced) {
  EXPECT_EQ(say_unseen(3, {{.rank = 0, .told = true, .synced = true}, {.rank = 1, .told = true, .synced = true}}), "");
  EXPECT_THAT(say_unseen(3, {{.rank = 0, .told = true, .synced = true}, {.rank = 1}}),
              HasSubstr("rank 1 of attempt 3"));
  EXPECT_THAT(say_unseen(3, {{.rank = 0, .told = true}}), HasSubstr("before all"));
}

class UnprovenTest : public testing_support::LostMachineTest {};

TEST_F(UnprovenTest, after_an_unseen_end_what_was_never_proven_is_put_aside_and_the_proven_one_is_resumed_from) {
  proven_first();
  checkpoint("step-2");
  const auto next = start();
  EXPECT_EQ(next.point.path, "step-1");
  EXPECT_FALSE(exists("step-2"));
  EXPECT_TRUE(exists(".reprise/unproven/step-2.2/state.bin")) << "it is not deleted";
  EXPECT_THAT(names(next.unproven), ElementsAre("step-2"));
  EXPECT_THAT(next.notes, Contains(HasSubstr("no agent saw the end of rank 0 of attempt 1")));
  EXPECT_THAT(next.notes, Contains(HasSubstr("unproven checkpoint step-2 was moved to .reprise/unproven")));
}

TEST_F(UnprovenTest, after_an_end_that_was_seen_all_counts) {
  proven_first();
  checkpoint("step-2");
  end();
  const auto next = start();
  EXPECT_EQ(next.point.path, "step-2");
  EXPECT_THAT(next.unproven, IsEmpty());
  const auto after = start();
  EXPECT_EQ(after.point.path, "step-2") << "that start has proven it";
}

TEST_F(UnprovenTest, a_record_that_does_not_say_that_all_was_synced_is_no_clean_end) {
  proven_first();
  checkpoint("step-2");
  end(false);
  EXPECT_EQ(start().point.path, "step-1");
}

TEST_F(UnprovenTest, each_rank_of_a_gang_that_writes_there_has_to_be_seen) {
  env_.parallelism = 2;
  proven_first();
  checkpoint("step-2");
  end();
  EXPECT_EQ(start().point.path, "step-1");
  checkpoint("step-3");
  end(true, 0);
  end(true, 1);
  EXPECT_EQ(start().point.path, "step-3");
}

// An older agent kept no list: all that it has left would be put aside.
TEST_F(UnprovenTest, a_volume_without_a_list_loses_nothing_and_its_first_start_proves_what_lies_there) {
  for (const char* name : {"step-1", "step-2"}) checkpoint(name);
  self_.attempt = 6;
  EXPECT_EQ(start().point.path, "step-2");
  EXPECT_EQ(start().point.path, "step-2") << "whose end nobody saw";
  checkpoint("step-3");
  EXPECT_EQ(start().point.path, "step-2");
}

TEST_F(UnprovenTest, where_nothing_was_ever_proven_the_attempt_starts_from_what_was_there_before) {
  static_cast<void>(start());
  checkpoint("step-1");
  env_.expected_step = 1;
  env_.expected_checkpoint = "step-1";
  const auto next = start();
  EXPECT_EQ(next.point.rejection, "") << "the first save was under way: nobody has to accept that";
  EXPECT_FALSE(next.point.step);
  EXPECT_THAT(names(next.unproven), ElementsAre("step-1"));
  EXPECT_EQ(start().point.rejection, "") << "nor later, where the operator has not heard of it";
}

TEST_F(UnprovenTest, an_older_proven_one_is_no_loss_where_the_expected_one_was_never_proven) {
  proven_first();
  checkpoint("step-2");
  env_.expected_step = 2;
  env_.expected_checkpoint = "step-2";
  const auto next = start();
  EXPECT_EQ(next.point.rejection, "");
  EXPECT_EQ(next.point.path, "step-1");
}

TEST_F(UnprovenTest, a_proven_one_that_is_gone_is_a_loss) {
  proven_first();
  env_.expected_step = 1;
  env_.expected_checkpoint = "step-1";
  std::filesystem::remove_all(root() / "step-1");
  EXPECT_THAT(start().point.rejection, HasSubstr("step 1"));
}

TEST_F(UnprovenTest, a_proven_one_that_has_other_sizes_or_times_by_now_is_not_resumed_from) {
  proven_first();
  checkpoint("step-2");
  look(Restored{});
  put_text(root() / "step-2/state.bin", std::string(6'000, 'y'));
  env_.expected_step = 2;
  env_.expected_checkpoint = "step-2";
  EXPECT_THAT(start().point.rejection, HasSubstr("step-1")) << "it was whole, and a person has to look";
  EXPECT_TRUE(exists("step-2")) << "nothing is moved";
  env_.expected_step.reset();
  env_.expected_checkpoint.clear();
  EXPECT_EQ(start().point.path, "step-1");
}

TEST_F(UnprovenTest, a_person_may_have_it_used) {
  proven_first();
  checkpoint("step-2");
  env_.puts_unproven_aside = false;
  const auto next = start();
  EXPECT_EQ(next.point.path, "step-2");
  EXPECT_THAT(next.unproven, IsEmpty());
  EXPECT_THAT(next.notes, Contains(HasSubstr("as the spec says")));
  look(next);
  EXPECT_FALSE(volume_->proofs->knows(volume_->scan()->front())) << "and no sync of now proves what was written then";
  env_.puts_unproven_aside = true;
  EXPECT_EQ(start().point.path, "step-1");
}

TEST_F(UnprovenTest, a_start_from_scratch_leaves_it_as_little_as_anything_else) {
  proven_first();
  checkpoint("step-2");
  env_.resume = ResumePolicy::FromScratch;
  EXPECT_FALSE(start().point.step);
  EXPECT_FALSE(exists("step-1") || exists("step-2"));
}

TEST_F(UnprovenTest, on_a_share_nothing_is_put_aside) {
  for (const MountKind& mount : {MountKind{.type = "nfs4"}, MountKind{.type = "nfs4", .proof = DurabilityProof::Sync},
                                 MountKind{.type = "fuse.s3fs", .fuse = true}}) {
    calls_->mount = mount;
    static_cast<void>(start());
    const std::string saved = "step-" + std::to_string(self_.attempt);
    checkpoint(saved);
    EXPECT_EQ(start().point.path, saved) << mount.type;
    EXPECT_FALSE(exists(".reprise/proven"));
  }
}

TEST_F(UnprovenTest, where_nothing_can_be_moved_it_counts_no_more_where_it_lies) {
  proven_first();
  checkpoint("step-2");
  calls_->rename_problem = EOPNOTSUPP;
  EXPECT_EQ(start().point.path, "step-1");
  EXPECT_TRUE(exists("step-2"));
  end();
  EXPECT_EQ(start().point.path, "step-1");
}

// The part of a save that reached the disk is no save.
TEST_F(UnprovenTest, a_save_of_which_a_part_is_not_proven_goes_whole) {
  const auto first = start();
  for (const char* part : {"step-1-rank0", "step-1-rank1"}) checkpoint(part);
  look(first);
  checkpoint("step-2-rank0");
  look(first);
  checkpoint("step-2-rank1");
  const auto next = start();
  EXPECT_THAT(next.point.path, HasSubstr("step-1-rank"));
  EXPECT_EQ(next.unproven.size(), 2U);
}

TEST_F(UnprovenTest, what_would_be_half_of_a_save_without_it_goes_too) {
  const auto first = start();
  for (const char* step : {"1", "2", "3"}) {
    for (const char* part : {"G_step_", "D_step_"}) checkpoint(std::string(part) + step);
    look(first);
  }
  checkpoint("G_step_4");
  look(first);
  checkpoint("D_step_4");
  const auto next = start();
  EXPECT_THAT(next.point.path, HasSubstr("_3"));
  EXPECT_EQ(next.unproven.size(), 2U);
}

// The attempt ran all the same, and what it has left is no older attempt's.
TEST_F(UnprovenTest, an_attempt_that_could_not_write_down_that_it_began_is_one_whose_end_has_to_be_seen) {
  proven_first();
  end();
  checkpoint("step-2");
  ++self_.attempt;
  put_text(volume_->layout.resume_point(self_.attempt), encode_resume_point({.job_uid = "job",
                                                                             .attempt = self_.attempt,
                                                                             .pod_uid = "pod",
                                                                             .step = {},
                                                                             .path = {},
                                                                             .rejection = {},
                                                                             .keeps_proofs = true}));
  EXPECT_EQ(start().point.path, "step-1");
}

TEST_F(UnprovenTest, an_attempt_that_is_rejected_begins_nothing) {
  proven_first();
  end();
  env_.expected_step = 7;
  EXPECT_NE(start().point.rejection, "");
  env_.expected_step.reset();
  checkpoint("step-2");  // by nobody's trainer
  EXPECT_EQ(start().point.path, "step-2") << "the last that trained has ended in order";
}

// The last proven one's bytes may have gone bad with the machine, and torch's archives bear a sum of each record.
TEST_F(UnprovenTest, what_is_resumed_from_after_an_unseen_end_is_read_through_first) {
  const std::string whole = testing_support::torch_file();
  const auto first = start();
  for (const char* name : {"step-1", "step-2"}) {
    put_text(root() / name / "model.pt", whole);
    put_text(root() / name / "_COMPLETE", "");
  }
  look(first);
  EXPECT_THAT(start().notes, Contains(HasSubstr("step-2 was read through in ")));
  const auto time = std::filesystem::last_write_time(root() / "step-2/model.pt");
  std::string damaged = whole;
  damaged[damaged.find("12345678")] ^= 1;
  put_text(root() / "step-2/model.pt", damaged);
  std::filesystem::last_write_time(root() / "step-2/model.pt", time);
  EXPECT_EQ(start().point.path, "step-1");
  end();
  const auto after = start();
  EXPECT_EQ(after.point.path, "step-1") << "and it counts no more";
  EXPECT_THAT(after.notes, testing::Not(Contains(HasSubstr("was read through")))) << "an end that was seen";
}

// An agent that is killed leaves a save that was whole: where its bytes show that, it is not lost.
TEST_F(UnprovenTest, what_is_whole_by_sums_of_all_its_bytes_is_resumed_from_and_proven) {
  proven_first();
  put_text(root() / "step-2/model.pt", testing_support::torch_file());
  put_text(root() / "step-2/state.json", R"({"step": 2})");
  put_text(root() / "step-2/_COMPLETE", "");
  const auto next = start();
  EXPECT_EQ(next.point.path, "step-2");
  EXPECT_THAT(next.unproven, IsEmpty());
  EXPECT_THAT(next.notes, Contains(HasSubstr("bears a sum, and all hold")));
  EXPECT_THAT(next.notes, testing::Not(Contains(HasSubstr("no agent saw"))));
  put_text(root() / "step-3/model.pt", testing_support::torch_file());
  put_text(root() / "step-3/_COMPLETE", "");
  put_text(root() / "step-3/weights.raw", std::string(8'192, '\0'));
  const auto after = start();
  EXPECT_EQ(after.point.path, "step-2") << "which the start before has proven";
  EXPECT_THAT(names(after.unproven), ElementsAre("step-3"));
}

TEST_F(UnprovenTest, nothing_is_said_of_sums_that_hold_in_a_part_of_a_save_alone) {
  const auto first = start();
  for (const char* part : {"step-1-rank0", "step-1-rank1"}) checkpoint(part);
  look(first);
  checkpoint("step-2-rank0");
  put_text(root() / "step-2-rank1/model.pt", testing_support::torch_file());
  put_text(root() / "step-2-rank1/_COMPLETE", "");
  const auto next = start();
  EXPECT_EQ(next.unproven.size(), 2U);
  EXPECT_THAT(next.notes, testing::Not(Contains(HasSubstr("it counts as proven"))));
}

TEST_F(UnprovenTest, a_rank_lists_it_as_unproven_and_changes_nothing) {
  env_.parallelism = 2;
  env_.access = VolumeAccess::PerIndex;
  self_.index = 1;
  proven_first();
  checkpoint("step-2");
  ++self_.attempt;
  anew();
  const auto listed = list_checkpoints(*volume_, env_, self_, UnreadOlder::IsAnError);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->checkpoints.size(), 2U);
  EXPECT_TRUE(listed->checkpoints[0].is_unproven && !listed->checkpoints[0].is_durable);
  EXPECT_TRUE(!listed->checkpoints[1].is_unproven && listed->checkpoints[1].is_durable);
  EXPECT_TRUE(exists("step-2"));
}

// The unproven one is none of those that the others merely lack, where all resume from an older step: nobody deletes
// it.
TEST_F(UnprovenTest, what_is_newer_than_the_common_step_and_unproven_is_put_aside_for_good) {
  env_.parallelism = 2;
  env_.access = VolumeAccess::PerIndex;
  self_.index = 1;
  self_.attempt = 1;
  anew();
  auto first = restore(*volume_, env_, self_, protocol::CommonStep{});
  ASSERT_TRUE(first);
  checkpoint("step-1");
  look(*first);
  checkpoint("step-2");
  ++self_.attempt;
  anew();
  const auto next = restore(*volume_, env_, self_, protocol::CommonStep{1});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->point.path, "step-1");
  EXPECT_TRUE(exists(".reprise/unproven/step-2.2"));
}

TEST_F(UnprovenTest, data_that_may_be_no_checkpoint_stays_where_it_is) {
  env_.format = "Auto";
  proven_first();
  checkpoint("imagenet-2012");
  static_cast<void>(start());
  EXPECT_TRUE(exists("imagenet-2012"));
}

TEST_F(UnprovenTest, a_start_whose_sync_fails_proves_nothing_that_is_new) {
  proven_first();
  checkpoint("step-2");
  end();
  ++self_.attempt;
  anew();
  calls_->sync_problem = EIO;
  const auto next = restore(*volume_, env_, self_);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->point.path, "step-2") << "its writer has seen it reach the disk";
  EXPECT_THAT(next->notes, Contains(HasSubstr("nothing shows")));
  EXPECT_EQ(start().point.path, "step-1") << "and its own end nobody saw";
}

// Nobody's trainer has run since: what the list lacks is not an attempt's whose end nobody saw.
TEST_F(UnprovenTest, a_start_that_ends_after_a_failed_sync_and_publishes_nothing_leaves_all_to_the_next_one) {
  checkpoint("step-1");  // by an agent that kept no list
  ++self_.attempt;
  anew();
  calls_->sync_problem = EIO;
  ASSERT_TRUE(restore(*volume_, env_, self_));
  std::filesystem::remove(volume_->layout.resume_point(self_.attempt));
  EXPECT_EQ(start().point.path, "step-1");
  EXPECT_TRUE(exists("step-1"));
}

}  // namespace
}  // namespace reprise::agent
