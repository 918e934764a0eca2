// What a watch does first where each call takes seconds, and when little time is left.
#include "agent/core/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "agent/core/report.h"
#include "agent/core/restore.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

class WatchTest : public testing_support::VolumeTest {
 protected:
  // Calls until what has appeared is written down, with so many older checkpoints there.
  int calls_until_written_down(int older) {
    for (int step = 1; step <= older; ++step) checkpoint("step-" + std::to_string(step));
    const auto restored = restore(*volume_, env_, self_);
    CheckpointWatch watch(volume_, {.keep = 100, .prunes = true, .before = restored->before, .self = self_});
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

// What is not written down is never pruned, and an agent may end before it has looked at everything.
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

// Whoever is stopped in between leaves no gap.
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
  CheckpointWatch watch(volume_, {.keep = 1, .prunes = true, .before = restored->before, .made = made, .self = self_});
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
  calls_->fuse = true;
  checkpoint("step-3");
  watch.look();
  EXPECT_EQ(watch.seen().durable->name, "step-3") << "it is progress all the same";
  EXPECT_TRUE(watch.seen().structure_only);
  EXPECT_TRUE(exists("step-1"));
  Record record;
  describe_checkpoint(watch.seen(), record);
  EXPECT_TRUE(record.structure_only);
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
