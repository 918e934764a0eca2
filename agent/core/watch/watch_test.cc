// A watch does this first where each call takes seconds, and when little time is left.
#include "agent/core/watch/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "agent/core/record/report.h"
#include "agent/core/restore/restore.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

class WatchTest : public testing_support::VolumeTest {
 protected:
  // Calls until what has appeared is written down, with so many older checkpoints there.
  int calls_until_written_down(int older) {
    for (int step = 1; step <= older; ++step) checkpoint("step-" + std::to_string(step));
    const auto restored = restore(*volume_, env_, self_);
    CheckpointWatch watch(
        volume_,
        {.resumed_path = restored->point.path, .keep = 100, .prunes = true, .before = restored->before, .self = self_});
    checkpoint("step-1000");
    int calls = 0;
    calls_->on_call = [&] { calls += exists(".reprise/made/1.json") ? 0 : 1; };
    watch.look();
    calls_->on_call = nullptr;
    EXPECT_TRUE(exists(".reprise/made/1.json"));
    std::filesystem::remove_all(root() / ".reprise");
    std::filesystem::remove_all(root() / "step-1000");
    return calls;
  }
};

// A checkpoint that is not written down is never pruned, and an agent may end before it has looked at everything.
TEST_F(WatchTest, what_appears_is_written_down_before_the_others_are_looked_at) {
  const int alone = calls_until_written_down(0);
  EXPECT_EQ(calls_until_written_down(20), alone);
}

TEST_F(WatchTest, what_lies_set_aside_has_not_appeared) {
  checkpoint("step-5");
  calls_->rename_problem = EOPNOTSUPP;
  env_.resume = ResumePolicy::FromScratch;
  ASSERT_TRUE(restore(*volume_, env_, self_));
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true, .self = self_});
  watch.look();
  EXPECT_TRUE(read_made(*volume_)->empty());
}

// A look takes as long as it takes, and an agent that is to end may not have that long.
TEST_F(WatchTest, what_appears_during_a_look_is_written_down_beside_it) {
  for (const char* name : {"step-1", "step-2", "step-3"}) checkpoint(name);
  const auto restored = restore(*volume_, env_, self_);
  CheckpointWatch watch(
      volume_,
      {.resumed_path = restored->point.path, .keep = 100, .prunes = true, .before = restored->before, .self = self_});
  checkpoint("step-4");
  const auto appear_beside = [&] {
    if (!exists(".reprise/made/1.json") || exists("step-5")) return;
    checkpoint("step-5", false);
    watch.write_down_names();
    EXPECT_TRUE(exists(".reprise/made/2.json"));
    watch.write_down_names();
  };
  calls_->on_call = appear_beside;
  watch.look();
  calls_->on_call = nullptr;
  checkpoint("step-5");
  watch.look();
  ASSERT_EQ(read_made(*volume_)->size(), 2U) << "each once";
  EXPECT_EQ(read_made(*volume_)->back().name, "step-5");
}

TEST_F(WatchTest, what_is_written_down_while_others_are_forgotten_is_not_forgotten_with_them) {
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true, .self = self_});
  for (const char* name : {"step-1", "step-2", "step-3"}) checkpoint(name);
  calls_->on_call = [&] {
    if (exists(".reprise/made/1.json") || exists("step-4") || !exists("step-3") || exists("step-1")) return;
    checkpoint("step-4");
    watch.write_down_names();
  };
  watch.look();
  ASSERT_TRUE(exists("step-4"));
  calls_->on_call = nullptr;
  watch.look();
  const auto made = *read_made(*volume_);
  ASSERT_FALSE(made.empty());
  EXPECT_EQ(made.back().order, 4) << "once";
  EXPECT_EQ(made.back().name, "step-4");
}

// The next attempt is told the same name where nothing newer has reached the operator.
TEST_F(WatchTest, the_expected_one_stays_in_the_list_when_the_trainers_own_rotation_deletes_it) {
  for (const char* name : {"step-1", "step-2"}) checkpoint(name);
  const MadeCheckpoints made{{.order = 1, .name = "step-1", .job_uid = "job", .attempt = 1},
                             {.order = 2, .name = "step-2", .job_uid = "job", .attempt = 1}};
  for (const MadeCheckpoint& each : made) ASSERT_TRUE(write_made(*volume_, each));
  CheckpointWatch watch(volume_, {.prunes = true, .made = made, .expected = "step-2", .self = self_});
  for (const char* name : {"step-1", "step-2"}) std::filesystem::remove_all(root() / name);
  checkpoint("step-3");
  watch.look();
  std::vector<std::string> names;
  const auto listed = *read_made(*volume_);
  for (const MadeCheckpoint& each : listed) names.push_back(each.name);
  EXPECT_THAT(names, testing::ElementsAre("step-2", "step-3"));
}

TEST_F(WatchTest, who_does_not_keep_the_volume_writes_nothing_down) {
  CheckpointWatch watch(volume_, {.self = self_});
  checkpoint("step-1");
  watch.write_down_names();
  EXPECT_TRUE(read_made(*volume_)->empty());
}

// An agent that is stopped in between leaves no gap. It has not restored. The save from which its gang resumed is no
// fresh save, or the job would be moved right after it began.
TEST_F(WatchTest, who_does_not_keep_the_volume_takes_what_it_finds_first_for_what_was_there) {
  checkpoint("step-1");
  CheckpointWatch watch(volume_, {.resumed_from = 1, .gang = true, .self = self_});
  watch.look();
  ASSERT_TRUE(watch.seen().durable);
  EXPECT_TRUE(watch.seen().was_before);
  EXPECT_FALSE(watch.seen().saving);
  checkpoint("step-2");
  watch.look();
  EXPECT_EQ(watch.seen().durable->step, 2);
  EXPECT_FALSE(watch.seen().was_before);
}

TEST_F(WatchTest, the_oldest_of_what_is_pruned_goes_first) {
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true, .self = self_});
  for (const char* name : {"step-1", "step-2", "step-3"}) checkpoint(name);
  calls_->on_call = [this] { EXPECT_TRUE(exists("step-2") || !exists("step-1")); };
  watch.look();
  calls_->on_call = nullptr;
  EXPECT_FALSE(exists("step-1"));
  EXPECT_FALSE(exists("step-2"));
}

// A full volume, or one that takes no new file for a while: that a save is complete is seen all the same, and what is
// too much goes, which is what makes room again.
TEST_F(WatchTest, what_cannot_be_written_down_hides_no_progress_and_stops_no_pruning) {
  for (const char* name : {"step-1", "step-2"}) checkpoint(name);
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  std::filesystem::remove_all(root() / ".reprise/made");
  std::ofstream(root() / ".reprise/made") << "nothing can be created below this";
  MadeCheckpoints made;
  for (int i = 1; i <= 2; ++i)
    made.push_back({.order = i, .name = "step-" + std::to_string(i), .job_uid = "job", .attempt = 1});
  CheckpointWatch watch(volume_, {.resumed_path = restored->point.path,
                                  .keep = 1,
                                  .prunes = true,
                                  .before = restored->before,
                                  .made = made,
                                  .self = self_});
  checkpoint("step-3");
  watch.look();
  EXPECT_NE(watch.seen().problem, "");
  ASSERT_TRUE(watch.seen().durable);
  EXPECT_EQ(watch.seen().durable->name, "step-3");
  EXPECT_FALSE(exists("step-1"));
}

TEST_F(WatchTest, nothing_is_pruned_where_the_volume_does_not_say_what_is_durable) {
  for (const char* name : {"step-1", "step-2"}) checkpoint(name);
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true, .self = self_});
  calls_->mount = MountKind{.type = "fuse", .fuse = true};
  checkpoint("step-3");
  watch.look();
  EXPECT_EQ(watch.seen().durable->name, "step-3") << "it is progress all the same";
  EXPECT_TRUE(watch.seen().structure_only);
  EXPECT_TRUE(exists("step-1"));
  Record record;
  describe_checkpoint(watch.seen(), record);
  EXPECT_TRUE(record.structure_only);
}

// On an object store: a thread of the trainer still holds a file when the marker is there.
TEST_F(WatchTest, what_is_not_proven_at_first_is_looked_at_again_and_pruned_for_once_it_is) {
  calls_->mount =
      MountKind{.type = "fuse.gcsfuse", .proof = DurabilityProof::Close, .fuse = true, .object_store = true};
  calls_->open = OpenFiles{.paths = {"step-3/weights"}};
  int notified = 0;
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true, .self = self_, .notify = [&] { ++notified; }});
  for (const char* name : {"step-1", "step-2", "step-3"}) checkpoint(name);
  watch.look();
  watch.look();
  EXPECT_EQ(watch.seen().durable->name, "step-3") << "it is progress all the same";
  EXPECT_TRUE(watch.seen().structure_only);
  EXPECT_TRUE(exists("step-1"));
  EXPECT_EQ(notified, 1) << "the same is no news";
  calls_->open = OpenFiles{};
  watch.look();
  EXPECT_FALSE(watch.seen().structure_only);
  EXPECT_FALSE(exists("step-1"));
  const int looks = calls_->syncs;
  watch.look();
  EXPECT_EQ(calls_->syncs, looks) << "what is proven needs no more proof";
}

TEST_F(WatchTest, nothing_is_pruned_where_the_volume_was_found_to_delete_nothing) {
  volume_->findings->set({.type = "nfs4", .remove = false, .durability = "Synced"});
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true, .self = self_});
  for (const char* name : {"step-1", "step-2", "step-3"}) checkpoint(name);
  watch.look();
  EXPECT_FALSE(watch.seen().structure_only);
  EXPECT_TRUE(exists("step-1"));
  EXPECT_EQ(watch.seen().problem, "");
}

TEST_F(WatchTest, nothing_is_pruned_once_a_stop_was_requested) {
  for (const char* name : {"step-1", "step-2", "step-3"}) checkpoint(name);
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true, .self = self_});
  watch.stop_pruning();
  watch.look();
  EXPECT_EQ(watch.seen().durable->name, "step-3");
  EXPECT_TRUE(exists("step-1"));
}

TEST_F(WatchTest, a_stop_while_it_prunes_ends_that) {
  for (const char* name : {"step-1", "step-2", "step-3"}) checkpoint(name);
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true, .self = self_});
  calls_->on_call = [&] {
    if (!exists("step-1")) watch.stop_pruning();
  };
  watch.look();
  EXPECT_FALSE(exists("step-1"));
  EXPECT_TRUE(exists("step-2"));
}

}  // namespace
}  // namespace reprise::agent
