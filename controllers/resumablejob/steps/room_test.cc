// The warning that comes before a volume is full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/resumablejob/steps/room.h"
#include "controllers/testing/job_world.h"
#include "runtime/base/size_text.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using runtime::size_text;
using ::testing::HasSubstr;

constexpr std::int64_t kGiB = std::int64_t{1} << 30U;

// Reports free room, with saves of 4 GiB; two more would be too many for less than 8.
void report_free(JobWorld& world, std::int64_t bytes) {
  protocol::LiveReport said{.attempt = world.status().attempt};
  said.room = protocol::ReportedRoom{.free_bytes = bytes,
                                     .save_bytes = 4 * kGiB,
                                     .needed_bytes = 8 * kGiB,
                                     .generations = 5,
                                     .keep = 2,
                                     .keep_deletes = 3,
                                     .keep_frees_bytes = 12 * kGiB};
  world.report("fit-1-0", said);
  world.now_ += std::chrono::seconds(60);
  world.settle();
}

void report_room(JobWorld& world, std::int64_t free_gib) {
  report_free(world, free_gib * kGiB);
}

std::int64_t warnings(const JobWorld& world) {
  return std::ranges::count(world.announced_, "VolumeNearlyFull", &Announcement::reason);
}

bool is_said(const JobWorld& world) {
  return std::ranges::any_of(world.status().conditions,
                             [](const auto& each) { return each.type == "VolumeNearlyFull"; });
}

TEST(Room, a_volume_with_less_room_than_two_saves_is_nearly_full) {
  JobWorld world = running_job();
  report_room(world, 9);
  EXPECT_FALSE(is_said(world));
  report_room(world, 7);
  EXPECT_EQ(world.state("VolumeNearlyFull"), "True/LittleRoom");
  EXPECT_EQ(warnings(world), 1);
  const std::string message(world.condition("VolumeNearlyFull").message);
  for (const char* part : {"fit-checkpoints", "7.0 GiB are free", "a save takes 4.0 GiB", "keep to 2", "12.0 GiB"})
    EXPECT_THAT(message, HasSubstr(part));
  EXPECT_EQ(world.state("Stalled"), "False/Progressing") << "it trains";
}

TEST(Room, what_was_put_aside_is_named_with_when_it_goes_and_who_may_delete_it) {
  const api::RoomStatus room{
      .free_bytes = kGiB, .torn_bytes = 3 * kGiB, .quarantine_bytes = kGiB / 2, .unproven_bytes = 2 * kGiB};
  const std::string text = describe_room(room) + "; " + how_to_make_room(room);
  for (const char* part : {".reprise/torn holds 3.0 GiB of torn saves, which go once a newer save",
                           ".reprise/quarantine holds 512.0 MiB, which no agent deletes",
                           ".reprise/unproven holds 2.0 GiB of saves that nothing proves", "delete by hand"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(how_to_make_room({.free_bytes = kGiB, .unproven_bytes = 1}), HasSubstr("delete by hand"));
  EXPECT_THAT(describe_room({.free_bytes = kGiB}), ::testing::Not(HasSubstr(".reprise")));
}

TEST(Room, is_enough_again_only_with_half_as_much_more) {
  JobWorld world = running_job();
  report_room(world, 7);
  for (const int free : {9, 11, 7, 11}) {
    report_room(world, free);
    EXPECT_EQ(world.state("VolumeNearlyFull"), "True/LittleRoom") << free;
  }
  EXPECT_EQ(warnings(world), 1);
  report_room(world, 12);
  EXPECT_EQ(world.state("VolumeNearlyFull"), "False/EnoughRoom");
  EXPECT_FALSE(world.status().progress->room);
  report_room(world, 9);
  EXPECT_EQ(world.state("VolumeNearlyFull"), "False/EnoughRoom");
  report_room(world, 2);
  EXPECT_EQ(warnings(world), 2);
}

TEST(Room, small_changes_are_not_written) {
  JobWorld world = running_job();
  report_room(world, 7);
  const auto before = world.status().progress->room;
  report_free(world, 7 * kGiB - 5);
  EXPECT_EQ(world.status().progress->room, before);
}

TEST(Room, without_reports_nothing_is_claimed) {
  JobWorld world = running_job();
  world.settle();
  EXPECT_FALSE(is_said(world));
  report_room(world, 7);
  world.reports_.clear();
  world.settle();
  EXPECT_EQ(world.state("VolumeNearlyFull"), "True/LittleRoom") << "it stands until somebody says otherwise";
}

TEST(Room, a_job_that_has_ended_says_nothing_of_it) {
  JobWorld world = running_job();
  report_room(world, 7);
  world.exit("fit-1-0", 0);
  world.settle();
  EXPECT_FALSE(is_said(world));
}

TEST(Room, a_size_is_told_in_the_largest_unit_that_it_fills) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(std::int64_t{1} << 30U), "1.0 GiB");
  EXPECT_EQ(size_text(std::int64_t{5} << 50U), "5120.0 TiB");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
