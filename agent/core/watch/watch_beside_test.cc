// A rank that does not keep the volume reports the same as index 0, which alone writes the list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <filesystem>

#include "agent/core/record/report.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

class WatchBesideTest : public testing_support::LayoutFormatTest {
 protected:
  WatchBesideTest() { use("Marker"); }
  // Writes a checkpoint of an earlier training: a higher number, and an older time.
  void other_training() const {
    checkpoint("old/step_9000");
    for (const char* name : {"old/step_9000/_COMPLETE", "old/step_9000"})
      fs::last_write_time(root() / name, fs::last_write_time(root() / name) - std::chrono::hours(200));
  }
  // Index 0 of this attempt, and its watch.
  CheckpointWatch keeper() {
    auto restored = restore(*volume_, env_, self_);
    EXPECT_TRUE(restored);
    return CheckpointWatch(volume_, {.resumed_path = restored->point.path,
                                     .gang = true,
                                     .prunes = true,
                                     .ignored = restored->ignored,
                                     .before = restored->before,
                                     .made = restored->made,
                                     .self = self_});
  }
  CheckpointWatch peer() const {
    Identity self = self_;
    self.index = 1;
    self.pod_uid = "pod-of-rank-1";
    return CheckpointWatch(
        volume_, {.gang = true, .ignores_before = env_.resume == ResumePolicy::Never, .self = std::move(self)});
  }
  static std::string newest(const CheckpointWatch& watch) {
    const auto seen = watch.seen();
    return seen.newest ? seen.newest->name : std::string();
  }
};

TEST_F(WatchBesideTest, data_is_no_checkpoint_to_one_that_has_made_nothing) {
  use("Auto");
  checkpoint("imagenet-2012");
  CheckpointWatch watching(volume_, {.self = {}});
  watching.look();
  EXPECT_EQ(newest(watching), "");
}

TEST_F(WatchBesideTest, each_rank_reports_the_same_where_an_earlier_training_has_a_higher_number) {
  self_.attempt = 1;
  other_training();
  auto first = keeper();
  checkpoint("run/step_200");
  first.look();
  ASSERT_EQ(newest(first), "run/step_200");
  self_.attempt = 2;
  auto index_0 = keeper();
  auto rank_1 = peer();
  index_0.look();
  rank_1.look();
  EXPECT_EQ(newest(index_0), "run/step_200");
  EXPECT_EQ(newest(rank_1), "run/step_200");
  EXPECT_EQ((*rank_1.newest_now())->name, "run/step_200");
}

// On another machine index 0 may be a moment late.
TEST_F(WatchBesideTest, a_rank_counts_a_save_that_index_0_has_not_listed_yet) {
  self_.attempt = 1;
  other_training();
  auto first = keeper();
  checkpoint("run/step_200");
  first.look();
  self_.attempt = 2;
  auto rank_1 = peer();
  rank_1.look();
  const auto baseline = rank_1.seen().durable;
  checkpoint("run/step_300");
  rank_1.look();
  ASSERT_TRUE(rank_1.seen().durable);
  EXPECT_EQ(rank_1.seen().durable->name, "run/step_300");
  EXPECT_TRUE(is_newer(*rank_1.seen().durable, baseline));
}

TEST_F(WatchBesideTest, a_rank_that_starts_late_counts_what_index_0_has_listed_of_this_attempt) {
  self_.attempt = 1;
  auto index_0 = keeper();
  checkpoint("step_100");
  index_0.look();
  auto rank_1 = peer();
  rank_1.look();
  EXPECT_EQ(newest(rank_1), "step_100");
  EXPECT_FALSE(rank_1.seen().was_before);
}

TEST_F(WatchBesideTest, what_a_job_ignores_that_never_resumes_is_progress_of_no_rank) {
  env_.resume = ResumePolicy::Never;
  self_.attempt = 1;
  other_training();
  auto index_0 = keeper();
  auto rank_1 = peer();
  EXPECT_FALSE(*rank_1.newest_now()) << "it has not looked yet";
  for (auto* each : {&index_0, &rank_1}) {
    each->look();
    EXPECT_EQ(newest(*each), "");
  }
  checkpoint("run/step_10");
  for (auto* each : {&index_0, &rank_1}) {
    each->look();
    EXPECT_EQ(newest(*each), "run/step_10");
  }
}

TEST_F(WatchBesideTest, a_rank_that_cannot_read_the_list_says_so_and_reports_no_checkpoint) {
  self_.attempt = 1;
  other_training();
  auto index_0 = keeper();
  checkpoint("run/step_200");
  index_0.look();
  fs::remove_all(root() / ".reprise/made");
  testing_support::put_text(root() / ".reprise/made", "no directory");
  auto rank_1 = peer();
  rank_1.look();
  EXPECT_NE(rank_1.seen().problem, "");
  EXPECT_FALSE(rank_1.seen().newest);
  EXPECT_FALSE(rank_1.newest_now());
}

TEST_F(WatchBesideTest, an_entry_that_says_nothing_tells_of_nothing_and_holds_nobody_up) {
  self_.attempt = 1;
  auto index_0 = keeper();
  checkpoint("step_100");
  index_0.look();
  testing_support::put_text(root() / ".reprise/made/1.json", "{\"order\":1,\"na");
  EXPECT_THAT(*read_made(*volume_), IsEmpty());
  EXPECT_TRUE(restore(*volume_, env_, self_));
  testing_support::put_text(root() / ".reprise/made/1.json", "");
  EXPECT_THAT(*read_made(*volume_), IsEmpty()) << "whoever was to write it had no room, or no time";
}

// A number that another entry had is read as that one by who has read it before.
TEST_F(WatchBesideTest, no_number_of_an_entry_is_given_twice) {
  self_.attempt = 1;
  auto index_0 = keeper();
  auto rank_1 = peer();
  checkpoint("step_100");
  index_0.look();
  checkpoint("step_200");
  index_0.look();
  rank_1.look();
  fs::remove_all(root() / "step_200");
  const auto before = read_made(*volume_)->back().order;
  index_0.look();
  ASSERT_EQ(read_made(*volume_)->size(), 1U) << "what is gone is forgotten";
  checkpoint("step_300");
  index_0.look();
  rank_1.look();
  EXPECT_GT(read_made(*volume_)->back().order, before);
  EXPECT_EQ(newest(rank_1), "step_300");
}

}  // namespace
}  // namespace reprise::agent
