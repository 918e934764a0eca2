// An agent notices these changes to what was there before: a checkpoint that is written again, its own files that are
// gone, and what a look that was cut short does not reach.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "agent/core/heartbeats/heartbeat_writer.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class WatchAgainTest : public testing_support::LayoutFormatTest {
 protected:
  [[nodiscard]] std::string last_made() const { return read_made(*volume_)->back().name; }
};

// A clock that was set back makes it look older than what was saved before it.
TEST_F(WatchAgainTest, what_is_written_again_under_its_name_is_the_last_that_was_made) {
  auto watching = watch();
  save(1);
  watching.look();
  save(2);
  watching.look();
  EXPECT_EQ(last_made(), "out/checkpoint-2");
  watching.look();
  EXPECT_EQ(read_made(*volume_)->size(), 2U);
  save(1);
  const auto state = root() / "out/checkpoint-1/trainer_state.json";
  fs::last_write_time(state, fs::last_write_time(state) - std::chrono::hours(3));
  watching.look();
  EXPECT_EQ(last_made(), "out/checkpoint-1");
}

TEST_F(WatchAgainTest, the_list_and_the_choice_are_written_anew_where_a_trainer_deletes_them) {
  const auto before = restored();
  CheckpointWatch watching(volume_, {.resumed_path = before.point.path,
                                     .prunes = true,
                                     .before = before.before,
                                     .made = before.made,
                                     .resume_point = encode_resume_point(before.point),
                                     .self = self_});
  save(10);
  watching.look();
  fs::remove_all(root() / ".reprise");
  watching.look();
  ASSERT_EQ(read_made(*volume_)->size(), 1U);
  EXPECT_TRUE(read_resume_point(*volume_, self_)->has_value());
  EXPECT_THAT(watching.seen().left_alone, Contains(HasSubstr(".reprise was deleted while the trainer ran")));
}

// Before its first save, as scripts do that empty their directory when they begin anew.
TEST_F(WatchAgainTest, the_choice_is_written_anew_whether_or_not_anything_was_saved) {
  const auto before = restored();
  CheckpointWatch watching(volume_, {.resumed_path = before.point.path,
                                     .prunes = true,
                                     .before = before.before,
                                     .made = before.made,
                                     .resume_point = encode_resume_point(before.point),
                                     .self = self_});
  fs::remove_all(root() / ".reprise");
  save(10);
  watching.look();
  EXPECT_TRUE(read_resume_point(*volume_, self_)->has_value());
  fs::remove_all(root() / ".reprise/attempts");
  watching.look();
  EXPECT_TRUE(read_resume_point(*volume_, self_)->has_value()) << "the list alone was left";
}

TEST_F(WatchAgainTest, each_entry_of_the_list_is_written_anew) {
  auto watching = watch();
  save(1);
  watching.look();
  save(2);
  watching.look();
  fs::remove(root() / ".reprise/made/1.json");
  watching.look();
  EXPECT_EQ(read_made(*volume_)->size(), 2U);
}

// Its choice may be lost all the same: with a machine, before anybody has looked.
TEST_F(WatchAgainTest, a_start_from_scratch_is_not_made_again_over_what_it_has_saved) {
  env_.resume = ResumePolicy::FromScratch;
  env_.from_scratch_since = self_.attempt;
  auto watching = watch();
  save(10);
  watching.look();
  fs::remove_all(root() / ".reprise/attempts");
  Identity next = self_;
  ++next.attempt;
  EXPECT_EQ(*policy_in_force(*volume_, env_, next), ResumePolicy::Latest);
  env_.from_scratch_since = next.attempt;
  EXPECT_EQ(*policy_in_force(*volume_, env_, next), ResumePolicy::FromScratch) << "asked for again";
}

TEST_F(WatchAgainTest, a_fence_that_a_trainer_deletes_is_raised_again) {
  HeartbeatWriter writer(volume_->files, volume_->layout, self_, std::chrono::seconds(1));
  ASSERT_TRUE(raise_fence(volume_->files, volume_->layout, self_));
  writer.own_fence_raised();
  static_cast<void>(writer.next());
  fs::remove_all(root() / ".reprise");
  EXPECT_FALSE(writer.next().raised_again) << "it may be on its way";
  ASSERT_TRUE(writer.next().raised_again);
  EXPECT_EQ((*read_fence(volume_->files, volume_->layout))->attempt, self_.attempt);
  EXPECT_FALSE(writer.next().raised_again);
}

TEST_F(WatchAgainTest, what_a_look_does_not_reach_any_more_is_still_the_newest_that_is_known) {
  auto watching = watch();
  const std::string place = "zz/run";
  save(10, place);
  watching.look();
  ASSERT_EQ(watching.seen().durable->name, place + "/checkpoint-10");
  for (int number = 0; number < 300; ++number) fs::create_directories(root() / ("n" + std::to_string(number)));
  watching.look();
  ASSERT_TRUE(watching.seen().durable);
  EXPECT_EQ(watching.seen().durable->name, place + "/checkpoint-10");
  fs::remove_all(root() / "zz");
  watching.look();
  EXPECT_FALSE(watching.seen().durable);
}

TEST_F(WatchAgainTest, pipes_and_sockets_in_the_place_of_files_hold_nobody_up) {
  began();
  save(10);
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
  for (const char* name : {"out/latest", "out/checkpoint-20", "out/epoch=1-step=30.ckpt", "out/last.ckpt"})
    ASSERT_EQ(::mkfifo((root() / name).c_str(), 0600), 0);
  save(40);
  fs::remove(root() / "out/checkpoint-40/trainer_state.json");
  ASSERT_EQ(::mkfifo((root() / "out/checkpoint-40/trainer_state.json").c_str(), 0600), 0);
  EXPECT_EQ(volume_->files.read(root() / "pipe").value(), std::nullopt);
  EXPECT_FALSE(volume_->files.read_range(root() / "pipe", 0, 10));
  EXPECT_EQ(restored().point.path, "out/checkpoint-10");
}

}  // namespace
}  // namespace reprise::agent
