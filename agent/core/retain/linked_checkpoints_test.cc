// Checkpoints that a link on the volume leads to are not pruned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/retain/linked_checkpoints.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class LinkedCheckpoints : public testing_support::VolumeTest {
 protected:
  LinkedCheckpoints() {
    for (const char* name : {"step-1", "step-2", "step-3", "step-4"}) checkpoint(name);
  }
  [[nodiscard]] std::vector<std::string> pruned() const {
    return spare_linked(*volume_, *volume_->scan(), {"step-2", "step-1"}).value();
  }
  [[nodiscard]] CheckpointWatch::Options keeps_one() const {
    MadeCheckpoints made;
    for (const char* name : {"step-1", "step-2", "step-3", "step-4"})
      made.push_back(
          {.order = static_cast<std::int64_t>(made.size()) + 1, .name = name, .job_uid = "job", .attempt = 2});
    return {.keep = 1, .prunes = true, .made = made, .self = self_};
  }
};

TEST(linked_checkpoints, a_nested_step_is_reached_by_a_link_to_it_into_it_or_to_its_folder) {
  for (const char* link : {"run/step-1", "run/step-1/shards/0.bin", "run"})
    EXPECT_TRUE(is_reached("run/step-1", {link}));
  for (const char* link : {"run/step-10", "run/step", "ru"}) EXPECT_FALSE(is_reached("run/step-1", {link}));
}

TEST_F(LinkedCheckpoints, without_links_all_go) {
  EXPECT_THAT(pruned(), ElementsAre("step-2", "step-1"));
}

TEST_F(LinkedCheckpoints, by_a_name_of_the_trainers_stay) {
  fs::create_directory_symlink("step-1", root() / "best");
  EXPECT_THAT(pruned(), ElementsAre("step-2"));
  fs::create_directory_symlink(root() / "step-2", root() / "absolute");
  EXPECT_THAT(pruned(), IsEmpty());
}

TEST_F(LinkedCheckpoints, by_a_file_of_one_that_stays_stay_as_well) {
  fs::create_directories(root() / "step-4" / "shards");
  fs::create_symlink("../../step-2/state.bin", root() / "step-4" / "shards" / "0.bin");
  EXPECT_THAT(pruned(), ElementsAre("step-1"));
  fs::create_symlink("../step-1/state.bin", root() / "step-2" / "base.bin");
  EXPECT_THAT(pruned(), IsEmpty());
}

// The trainer clears up in a checkpoint while its links are read.
TEST_F(LinkedCheckpoints, are_spared_whenever_a_directory_beside_the_link_goes_away) {
  fs::create_directories(root() / "step-4" / "shards");
  fs::create_symlink("../../step-2/state.bin", root() / "step-4" / "shards" / "0.bin");
  for (int moment = 1; moment <= 30; ++moment) {
    for (const char* name : {"a", "n", "z"}) fs::create_directories(root() / "step-4" / name / "below");
    calls_->on_call = [&, call = 0]() mutable {
      if (++call != moment) return;
      for (const char* name : {"a", "n", "z"}) fs::remove_all(root() / "step-4" / name);
    };
    const auto pruned = spare_linked(*volume_, *volume_->scan(), {"step-2", "step-1"});
    calls_->on_call = nullptr;
    EXPECT_TRUE(!pruned || *pruned == std::vector<std::string>{"step-1"}) << "before call " << moment;
  }
}

TEST_F(LinkedCheckpoints, by_nothing_but_what_goes_too_go) {
  fs::create_symlink("../step-1/state.bin", root() / "step-2" / "base.bin");
  fs::create_symlink("missing", root() / "dangling");
  fs::create_symlink("/", root() / "elsewhere");
  fs::create_symlink("loop", root() / "loop");
  EXPECT_THAT(pruned(), ElementsAre("step-2", "step-1"));
}

TEST_F(LinkedCheckpoints, outlive_the_look_that_would_have_pruned_them) {
  fs::create_directory_symlink("step-1", root() / "best");
  CheckpointWatch(volume_, keeps_one()).look();
  EXPECT_TRUE(exists("best/_COMPLETE"));
  EXPECT_FALSE(exists("step-2"));
  EXPECT_FALSE(exists("step-3"));
}

// A stop may leave one that was to go as well, and was not reached.
TEST_F(LinkedCheckpoints, by_what_a_stop_in_the_middle_of_pruning_has_spared_stay) {
  fs::create_symlink("../step-1/state.bin", root() / "step-2" / "base.bin");
  CheckpointWatch watch(volume_, keeps_one());
  calls_->on_call = [&] {
    if (!exists("step-1") || !exists("step-2") || !exists("step-3")) watch.stop_pruning();
  };
  watch.look();
  calls_->on_call = nullptr;
  EXPECT_FALSE(exists("step-1") && exists("step-2") && exists("step-3")) << "one was to go";
  EXPECT_TRUE(!exists("step-2") || exists("step-2/base.bin"));
}

TEST_F(LinkedCheckpoints, by_one_that_cannot_be_deleted_stay_and_the_others_go) {
  fs::create_symlink("../step-1/state.bin", root() / "step-2" / "base.bin");
  calls_->stuck = "step-2";
  CheckpointWatch(volume_, keeps_one()).look();
  EXPECT_TRUE(exists("step-2/base.bin"));
  EXPECT_FALSE(exists("step-3"));
}

TEST_F(LinkedCheckpoints, go_after_what_links_into_them_and_the_oldest_first) {
  fs::create_symlink("../step-1/state.bin", root() / "step-3" / "base.bin");
  const auto deletions = order_of_deletion(*volume_, {"step-3", "step-2", "step-1"});
  ASSERT_TRUE(deletions);
  std::vector<std::string> order;
  for (const Deletion& each : *deletions) order.push_back(each.name);
  EXPECT_THAT(order, ElementsAre("step-2", "step-3", "step-1"));
}

// A trainer that saves like that has checkpoints that are none alone.
TEST_F(LinkedCheckpoints, by_each_other_go_all_the_same) {
  fs::create_symlink("../step-1/state.bin", root() / "step-2" / "base.bin");
  fs::create_symlink("../step-2/state.bin", root() / "step-1" / "rest.bin");
  CheckpointWatch(volume_, keeps_one()).look();
  EXPECT_FALSE(exists("step-1"));
  EXPECT_FALSE(exists("step-2"));
}

}  // namespace
}  // namespace reprise::agent
