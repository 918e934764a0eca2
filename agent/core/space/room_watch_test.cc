// How much room is left, and what `keep` would free.
#include "agent/core/space/room_watch.h"

#include <gtest/gtest.h>

#include "agent/core/space/reserve.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

using testing_support::put_text;

constexpr std::int64_t kKi = 1024;

class RoomWatched : public testing_support::VolumeTest {
 protected:
  // As a trainer of this job, with ten KiB.
  void save(int step, CheckpointWatch& watching) {
    const std::string name = "step-" + std::to_string(step);
    put_text(root() / name / "weights", std::string(10 * kKi, 'w'));
    checkpoint(name);
    watching.look();
  }
  CheckpointWatch watching(std::optional<std::int32_t> keep) {
    return CheckpointWatch(volume_, {.keep = keep, .prunes = true, .self = self_});
  }
};

TEST(Room, what_is_needed_is_a_save_and_those_by_which_they_still_grow) {
  EXPECT_EQ(needed_room(10, 5, std::nullopt, false), 20);
  EXPECT_EQ(needed_room(10, 3, std::nullopt, true), 10) << "the library rotates";
  EXPECT_EQ(needed_room(10, 2, 2, false), 10);
  EXPECT_EQ(needed_room(10, 1, 2, false), 20);
  EXPECT_EQ(needed_room(10, 7, 2, false), 10);
  EXPECT_EQ(smaller_keep(std::nullopt), 2);
  EXPECT_EQ(smaller_keep(5), 2);
  EXPECT_EQ(smaller_keep(2), 1);
  EXPECT_EQ(smaller_keep(1), std::nullopt);
}

TEST_F(RoomWatched, says_what_lies_aside_where_it_is_short_and_what_is_left_of_it_after_a_deletion) {
  calls_->free = FreeSpace{.bytes = 1000 * kKi};
  put_text(root() / ".reprise/torn/step-1.9/weights", std::string(20 * kKi, 't'));
  put_text(root() / ".reprise/quarantine/data.1/weights", std::string(30 * kKi, 'q'));
  auto watch = watching(2);
  watch.look();
  save(2, watch);
  ASSERT_TRUE(watch.seen().room);
  EXPECT_EQ(watch.seen().room->torn_bytes, 0) << "there is room";
  calls_->free = FreeSpace{.bytes = kKi};
  watch.look();
  EXPECT_GE(watch.seen().room->torn_bytes, 20 * kKi);
  EXPECT_GE(watch.seen().room->quarantine_bytes, 30 * kKi);
  put_text(root() / ".reprise/torn/step-2.1/weights", std::string(20 * kKi, 't'));
  save(3, watch);
  EXPECT_FALSE(exists(".reprise/torn/step-2.1")) << "a newer one stands for it";
  EXPECT_GE(watch.seen().room->torn_bytes, 40 * kKi) << "as it was then";
  watch.look();
  EXPECT_LT(watch.seen().room->torn_bytes, 40 * kKi);
  EXPECT_GE(watch.seen().room->quarantine_bytes, 30 * kKi);
}

TEST_F(RoomWatched, says_what_keep_would_free_where_it_is_short) {
  calls_->free = FreeSpace{.bytes = 1000 * kKi};
  auto watch = watching(std::nullopt);
  watch.look();
  for (const int step : {1, 2, 3, 4, 5}) save(step, watch);
  ASSERT_TRUE(watch.seen().room);
  const std::int64_t size = *watch.seen().room->save_bytes;
  EXPECT_GE(size, 10 * kKi);
  EXPECT_EQ(watch.seen().room->generations, 5);
  EXPECT_EQ(watch.seen().room->needed_bytes, 2 * size);
  EXPECT_EQ(watch.seen().room->keep, std::nullopt) << "there is room";
  calls_->free = FreeSpace{.bytes = size};
  watch.look();
  EXPECT_EQ(watch.seen().room->free_bytes, size);
  EXPECT_EQ(watch.seen().room->keep, 2);
  EXPECT_EQ(watch.seen().room->keep_deletes, 3);
  EXPECT_EQ(watch.seen().room->keep_frees_bytes, 3 * size);
  for (const int step : {1, 2, 3, 4, 5}) EXPECT_TRUE(exists("step-" + std::to_string(step))) << "nothing was asked for";
}

TEST_F(RoomWatched, a_trainer_that_rotates_needs_room_for_one_save) {
  calls_->free = FreeSpace{.bytes = 1000 * kKi};
  auto watch = watching(std::nullopt);
  watch.look();
  for (const int step : {1, 2}) save(step, watch);
  EXPECT_EQ(watch.seen().room->needed_bytes, 2 * *watch.seen().room->save_bytes);
  for (const int step : {3, 4}) {
    save(step, watch);
    std::filesystem::remove_all(root() / ("step-" + std::to_string(step - 2)));
    watch.look();
  }
  EXPECT_EQ(watch.seen().room->needed_bytes, *watch.seen().room->save_bytes);
}

TEST_F(RoomWatched, keep_counts_none_that_somebody_else_has_made) {
  calls_->free = FreeSpace{.bytes = kKi};
  for (const int step : {1, 2, 3}) checkpoint("step-" + std::to_string(step));
  auto watch =
      CheckpointWatch(volume_, {.resumed_path = "step-3", .prunes = true, .before = *volume_->scan(), .self = self_});
  watch.look();
  save(4, watch);
  EXPECT_EQ(watch.seen().room->generations, 1);
  EXPECT_EQ(watch.seen().room->keep, std::nullopt);
}

TEST_F(RoomWatched, a_volume_that_does_not_say_what_is_free_is_never_short) {
  calls_->free = std::optional<FreeSpace>();
  auto watch = watching(std::nullopt);
  watch.look();
  save(1, watch);
  EXPECT_FALSE(watch.seen().room);
}

TEST_F(RoomWatched, a_reserve_is_kept_where_there_is_plenty_and_given_up_where_nothing_fits) {
  const auto reserve = volume_->layout.reserve();
  keep_reserve(*volume_, kEnough - 1);
  EXPECT_FALSE(std::filesystem::exists(reserve));
  calls_->free = FreeSpace{.bytes = kPlenty};
  auto watch = watching(std::nullopt);
  watch.look();
  save(1, watch);
  ASSERT_TRUE(std::filesystem::exists(reserve));
  EXPECT_EQ(std::filesystem::file_size(reserve), static_cast<std::uintmax_t>(kReserve));
  give_up_reserve(*volume_);
  EXPECT_TRUE(std::filesystem::exists(reserve));
  calls_->free = FreeSpace{.bytes = kReserve - 1};
  give_up_reserve(*volume_);
  EXPECT_FALSE(std::filesystem::exists(reserve));
}

TEST_F(RoomWatched, a_small_volume_keeps_a_small_reserve) {
  keep_reserve(*volume_, kEnough);
  EXPECT_EQ(std::filesystem::file_size(volume_->layout.reserve()), static_cast<std::uintmax_t>(kReserve / 16));
}

TEST_F(RoomWatched, no_reserve_is_kept_on_a_mount_by_fuse) {
  calls_->mount = MountKind{.type = "fuse.s3fs", .fuse = true};
  keep_reserve(*volume_, kPlenty);
  EXPECT_FALSE(std::filesystem::exists(volume_->layout.reserve()));
}

}  // namespace
}  // namespace reprise::agent
