// Proofs of checkpoints on a disk, the list of them, and the consequence of an error of writing.
#include "agent/core/proofs/proofs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "agent/core/record/report.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// ---- the list

ProvenCheckpoint entry(int step, std::uint64_t digest = 7) {
  return {.name = "step-" + std::to_string(step),
          .completed = runtime::WallTime(std::chrono::seconds(step)),
          .shape = CheckpointShape{.files = 2, .bytes = 9, .digest = digest}};
}
Checkpoint complete(int step) {
  return {.name = "step-" + std::to_string(step),
          .step = step,
          .complete = true,
          .time = runtime::WallTime(std::chrono::seconds(step))};
}

TEST(ProvenList, is_read_as_it_was_written) {
  const ProvenList list{
      .job_uid = "job",
      .attempt = 3,
      .first_rank = 1,
      .ranks = 4,
      .checkpoints = {entry(1), {.name = "last", .completed = runtime::WallTime(std::chrono::hours(1))}},
      .cut_before = runtime::WallTime(std::chrono::seconds(5))};
  EXPECT_EQ(decode_proven(encode_proven(list)), list);
  EXPECT_FALSE(decode_proven(encode_proven(list).substr(0, 40)));
  EXPECT_FALSE(decode_proven(""));
}

// On a full volume it is written over itself, which takes no block as long as it has no more of them.
TEST(ProvenList, takes_whole_blocks_and_never_more_than_a_list_may) {
  ProvenList list{.job_uid = "job", .attempt = 1};
  EXPECT_EQ(encode_proven(list).size(), 4096U);
  for (int step = 1; step <= 2'000; ++step) list.checkpoints.push_back(entry(step));
  const std::string text = encode_proven(list);
  EXPECT_EQ(text.size() % 4096, 0U);
  EXPECT_LE(text.size(), std::size_t{64} * 1024);
  const auto kept = decode_proven(text);
  ASSERT_TRUE(kept);
  EXPECT_GT(kept->checkpoints.size(), 300U);
  EXPECT_EQ(kept->checkpoints.back(), entry(2'000)) << "the oldest go";
  for (const int step : {1, 1'000, 2'000}) EXPECT_TRUE(lists(*kept, complete(step))) << "and count as proven: " << step;
  EXPECT_FALSE(lists(*kept, complete(2'001)));
}

TEST(ProvenList, a_shape_tells_names_sizes_and_times_apart) {
  const FileBelow one{.path = "a", .size = 1, .modified = runtime::WallTime(std::chrono::seconds(1))};
  FileBelow renamed = one, grown = one, later = one;
  renamed.path = "b";
  grown.size = 2;
  later.modified += std::chrono::microseconds(1);
  for (const FileBelow& other : {renamed, grown, later}) EXPECT_NE(shape_of({one}), shape_of({other}));
  EXPECT_EQ(shape_of({one}), shape_of({one}));
  FileBelow newest = later;
  newest.path = "z";
  EXPECT_NE(shape_of({one, newest}), shape_of({later, newest})) << "also of what is not the newest of its files";
}

// ---- the decision

TEST(ProofLedger, proves_what_was_the_same_before_and_after_the_sync) {
  SyncSeen seen{.found = {complete(3), complete(2), complete(1)}};
  seen.found.push_back({.name = "step-9", .step = 9});
  for (const char* name : {"step-1", "step-3", "step-9"}) seen.shapes[name] = {.files = 1};
  const auto after = with_proven({}, seen);
  ASSERT_EQ(after.checkpoints.size(), 2U) << "not the torn one, nor the one that changed";
  EXPECT_EQ(after.checkpoints.front().name, "step-1");
  EXPECT_EQ(after.checkpoints.back().name, "step-3");
}

TEST(ProofLedger, keeps_what_was_proven_before_for_as_long_as_it_is_there_unchanged) {
  Checkpoint anew = complete(2);
  anew.time += std::chrono::seconds(1);
  const SyncSeen seen{.found = {complete(3), anew}};
  const auto after = with_proven({.checkpoints = {entry(1), entry(2), entry(3)}}, seen);
  EXPECT_THAT(after.checkpoints, testing::ElementsAre(entry(3)));
}

TEST(ProofLedger, a_look_that_was_cut_short_forgets_nothing) {
  const auto after = with_proven({.checkpoints = {entry(1)}}, {.found = {}, .saw_all = false});
  EXPECT_THAT(after.checkpoints, testing::ElementsAre(entry(1)));
}

TEST(ProofLedger, nothing_is_proven_of_what_is_suspect) {
  SyncSeen seen{.found = {complete(2), complete(1)}, .suspect = {"step-1", "step-2"}};
  seen.shapes = {{"step-2", {.files = 1}}};
  EXPECT_THAT(with_proven({.checkpoints = {entry(1)}}, seen).checkpoints, IsEmpty());
}

TEST(ProofLedger, an_error_sticks_to_all_that_was_begun_before_it_was_told) {
  const runtime::WallTime at{std::chrono::hours(5)};
  EXPECT_FALSE(is_suspect({}, std::nullopt));
  const WriteErrors errors{.count = 1, .last = at, .said = ""};
  EXPECT_TRUE(is_suspect(errors, at));
  EXPECT_TRUE(is_suspect(errors, std::nullopt)) << "nobody knows when it was begun";
  EXPECT_FALSE(is_suspect(errors, at + std::chrono::microseconds(1)));
}

// ---- a watch

class ProofsTest : public testing_support::VolumeTest {
 protected:
  ProofsTest() { calls_->mount = kDisk; }
  [[nodiscard]] CheckpointWatch::Options options() const { return {.keep = 1, .prunes = true, .self = self_}; }
  [[nodiscard]] std::vector<std::string> proven() const {
    std::vector<std::string> names;
    const auto list = volume_->proofs->read(*volume_).value();
    for (const auto& each : list.value_or(ProvenList{}).checkpoints) names.push_back(each.name);
    return names;
  }
  const MountKind kDisk{.type = "ext4", .proof = DurabilityProof::Sync, .local = true};
};

TEST_F(ProofsTest, what_is_proven_is_written_down_before_anything_is_deleted_for_it) {
  CheckpointWatch watch(volume_, options());
  for (const char* name : {"step-1", "step-2"}) checkpoint(name);
  calls_->on_call = [this] { EXPECT_TRUE(exists("step-1") || exists(".reprise/proven")); };
  watch.look();
  calls_->on_call = nullptr;
  EXPECT_FALSE(exists("step-1"));
  EXPECT_FALSE(watch.seen().structure_only);
  EXPECT_THAT(proven(), UnorderedElementsAre("step-1", "step-2"));
  watch.look();
  checkpoint("step-3");
  watch.look();
  EXPECT_THAT(proven(), UnorderedElementsAre("step-2", "step-3")) << "and what is gone is forgotten";
}

TEST_F(ProofsTest, nothing_is_deleted_on_account_of_what_could_not_be_written_down) {
  checkpoint("step-1");
  std::filesystem::create_directories(root() / ".reprise/proven/in the way");
  CheckpointWatch watch(volume_, options());
  checkpoint("step-2");
  watch.look();
  EXPECT_TRUE(watch.seen().structure_only);
  EXPECT_TRUE(exists("step-1"));
  EXPECT_THAT(watch.seen().not_proven, HasSubstr("written down"));
  std::filesystem::remove_all(root() / ".reprise/proven");
  watch.look();
  EXPECT_FALSE(watch.seen().structure_only);
  EXPECT_EQ(watch.seen().not_proven, "");
  EXPECT_FALSE(exists("step-1"));
}

// The list was read, and there is no room for a longer one.
TEST_F(ProofsTest, what_could_be_read_and_is_not_written_again_proves_nothing_new) {
  checkpoint("step-1");
  CheckpointWatch watch(volume_, options());
  watch.look();
  EXPECT_FALSE(watch.seen().structure_only);
  std::filesystem::remove(root() / ".reprise/proven");
  std::filesystem::create_directories(root() / ".reprise/proven/in the way");
  checkpoint("step-2");
  watch.look();
  EXPECT_TRUE(watch.seen().structure_only);
  EXPECT_TRUE(exists("step-1"));
  EXPECT_THAT(watch.seen().not_proven, HasSubstr("written down"));
}

TEST_F(ProofsTest, a_file_is_written_once_for_each_checkpoint_and_nothing_is_synced_at_rest) {
  CheckpointWatch watch(volume_, options());
  checkpoint("step-1");
  watch.look();
  const int syncs = calls_->syncs;
  const auto written = std::filesystem::last_write_time(root() / ".reprise/proven");
  for (int i = 0; i < 3; ++i) watch.look();
  EXPECT_EQ(calls_->syncs, syncs);
  EXPECT_EQ(std::filesystem::last_write_time(root() / ".reprise/proven"), written);
}

// The second sync answers 0: the pages count as clean, and their bytes are lost.
TEST_F(ProofsTest, an_error_of_a_sync_leaves_that_save_without_a_proof_whatever_a_later_one_says) {
  checkpoint("step-1");
  CheckpointWatch watch(volume_, options());
  watch.look();
  checkpoint("step-2");
  calls_->sync_problem = ENOSPC;
  watch.look();
  calls_->sync_problem = 0;
  for (int i = 0; i < 3; ++i) watch.look();
  EXPECT_TRUE(exists("step-1"));
  ASSERT_TRUE(watch.seen().durable);
  EXPECT_EQ(watch.seen().durable->name, "step-2") << "it is progress all the same";
  EXPECT_TRUE(watch.seen().structure_only);
  EXPECT_FALSE(watch.seen().proof_may_come);
  EXPECT_THAT(watch.seen().not_proven, HasSubstr("step-2"));
  EXPECT_THAT(proven(), UnorderedElementsAre("step-1"));
  EXPECT_FALSE(Proofs::seal(*volume_)) << "nor is the end one after which all is there";
}

TEST_F(ProofsTest, an_error_that_one_file_tells_counts_like_that_of_the_whole) {
  checkpoint("step-1");
  CheckpointWatch watch(volume_, options());
  watch.look();
  checkpoint("step-2");
  calls_->fsync_told = [](const auto& file) { return file.string().ends_with("step-2/state.bin") ? EIO : 0; };
  watch.look();
  calls_->fsync_told = nullptr;
  watch.look();
  EXPECT_TRUE(exists("step-1"));
  EXPECT_TRUE(watch.seen().structure_only);
}

TEST_F(ProofsTest, what_is_begun_after_an_error_is_proven_by_a_sync_of_its_own) {
  checkpoint("step-1");
  CheckpointWatch watch(volume_, options());
  calls_->sync_problem = EIO;
  watch.look();
  calls_->sync_problem = 0;
  checkpoint_after_errors("step-2");
  if (!volume_->files.oldest_birth(root() / "step-2")) GTEST_SKIP() << "this file system keeps no births";
  watch.look();
  EXPECT_FALSE(watch.seen().structure_only);
  EXPECT_EQ(watch.seen().durable->name, "step-2");
  EXPECT_THAT(proven(), UnorderedElementsAre("step-2"));
  EXPECT_FALSE(exists("step-1")) << "nothing needs it any more";
}

// A save that was being written under another name when the error was told.
TEST_F(ProofsTest, what_was_begun_under_another_name_before_an_error_is_not_proven) {
  checkpoint("step-1");
  CheckpointWatch watch(volume_, options());
  watch.look();
  testing_support::put_text(root() / "tmp.weights", "half");
  checkpoint("step-2");
  calls_->sync_problem = EIO;
  watch.look();
  calls_->sync_problem = 0;
  std::filesystem::create_directory(root() / "step-3");
  std::filesystem::rename(root() / "tmp.weights", root() / "step-3/state.bin");
  testing_support::put_text(root() / "step-3/_COMPLETE", "");
  watch.look();
  EXPECT_EQ(watch.seen().durable->name, "step-3");
  EXPECT_TRUE(watch.seen().structure_only);
  EXPECT_TRUE(exists("step-1"));
}

TEST_F(ProofsTest, what_was_proven_and_is_written_to_when_an_error_is_told_is_proven_no_more) {
  checkpoint("step-1");
  CheckpointWatch watch(volume_, options());
  watch.look();
  ASSERT_THAT(proven(), UnorderedElementsAre("step-1"));
  testing_support::put_text(root() / "step-1/state.bin", "other weights");
  calls_->sync_problem = EIO;
  const Checkpoints found = volume_->scan().value();
  const auto outcome = volume_->proofs->prove(*volume_, {.found = found, .newest = found.front(), .writes = true});
  calls_->sync_problem = 0;
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->durability, Durability::Unproven);
  const auto again = volume_->proofs->prove(*volume_, {.found = found, .newest = found.front(), .writes = true});
  EXPECT_EQ(again->durability, Durability::Unproven);
  EXPECT_THAT(again->proven, IsEmpty());
}

TEST_F(ProofsTest, what_still_changes_is_proven_once_it_stands_still) {
  CheckpointWatch watch(volume_, options());
  for (const char* name : {"step-1", "step-2"}) checkpoint(name);
  calls_->on_sync = [&] { testing_support::put_text(root() / "step-2/more", std::string(calls_->syncs, 'x')); };
  watch.look();
  EXPECT_TRUE(watch.seen().structure_only);
  EXPECT_TRUE(exists("step-1"));
  const int syncs = calls_->syncs;
  testing_support::put_text(root() / "step-2/more", "more and more");
  watch.look();
  EXPECT_EQ(calls_->syncs, syncs) << "what changes from look to look is not synced each time";
  calls_->on_sync = nullptr;
  watch.look();
  EXPECT_FALSE(watch.seen().structure_only);
  EXPECT_FALSE(exists("step-1"));
}

TEST_F(ProofsTest, a_filer_for_which_a_person_vouches_is_believed_and_keeps_no_list) {
  calls_->mount = MountKind{.type = "nfs4", .proof = DurabilityProof::Sync};
  CheckpointWatch watch(volume_, options());
  for (const char* name : {"step-1", "step-2"}) checkpoint(name);
  watch.look();
  EXPECT_FALSE(watch.seen().structure_only);
  EXPECT_FALSE(exists("step-1"));
  EXPECT_FALSE(exists(".reprise/proven"));
}

TEST_F(ProofsTest, on_a_filer_for_which_nobody_vouches_nothing_is_deleted) {
  calls_->mount = MountKind{.type = "nfs4"};
  CheckpointWatch watch(volume_, options());
  for (const char* name : {"step-1", "step-2"}) checkpoint(name);
  watch.look();
  EXPECT_TRUE(watch.seen().structure_only);
  EXPECT_TRUE(exists("step-1"));
  EXPECT_FALSE(exists(".reprise/proven"));
}

TEST_F(ProofsTest, who_does_not_keep_the_volume_writes_no_list) {
  checkpoint("step-1");
  CheckpointWatch watch(volume_, {.self = self_});
  watch.look();
  EXPECT_FALSE(watch.seen().structure_only);
  EXPECT_FALSE(exists(".reprise/proven"));
}

}  // namespace
}  // namespace reprise::agent
