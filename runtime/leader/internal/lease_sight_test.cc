#include "runtime/leader/internal/lease_sight.h"

#include <gtest/gtest.h>

namespace reprise::runtime {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Instant start{hours(1)};

LeaseRecord lease(const std::string& holder, Duration duration, const std::string& version = "1") {
  LeaseRecord record;
  record.holder = holder;
  record.duration = duration;
  record.resource_version = version;
  return record;
}

struct LeaseSightTest : ::testing::Test {
  LeaseSight sight{"me", seconds(15)};
  [[nodiscard]] bool free_after(Duration waited) const {
    return sight.judge(false, start + waited) == LeaseVerdict::Take;
  }
};

TEST_F(LeaseSightTest, a_lease_nobody_was_ever_seen_to_hold_is_free) {
  EXPECT_TRUE(free_after(seconds(0)));
  sight.saw_none();
  EXPECT_TRUE(free_after(seconds(0)));
}

TEST_F(LeaseSightTest, a_lease_is_over_when_it_was_not_seen_to_change_for_its_duration) {
  sight.saw(lease("other", seconds(15)), start);
  EXPECT_FALSE(free_after(seconds(15) - Duration{1}));
  EXPECT_TRUE(free_after(seconds(15)));
  sight.saw(lease("other", seconds(15), "2"), start + seconds(10));
  EXPECT_FALSE(free_after(seconds(25) - Duration{1}));
}

TEST_F(LeaseSightTest, seeing_the_same_lease_again_does_not_start_the_wait_anew) {
  sight.saw(lease("other", seconds(15)), start);
  sight.saw(lease("other", seconds(15)), start + seconds(14));
  EXPECT_TRUE(free_after(seconds(15)));
}

TEST_F(LeaseSightTest, a_lease_given_back_is_free_at_once) {
  sight.saw(lease("other", seconds(15)), start);
  sight.saw(lease("", seconds(1), "2"), start + seconds(2));
  EXPECT_TRUE(free_after(seconds(2)));
}

TEST_F(LeaseSightTest, a_holder_taken_out_by_hand_is_waited_for) {
  sight.saw(lease("other", seconds(15)), start);
  sight.saw(lease("", seconds(15), "2"), start + seconds(2));
  EXPECT_FALSE(free_after(seconds(16)));
  EXPECT_TRUE(free_after(seconds(17)));
}

TEST_F(LeaseSightTest, the_holder_of_a_deleted_lease_is_waited_for) {
  sight.saw(lease("other", seconds(15)), start);
  sight.saw_none();
  EXPECT_FALSE(free_after(seconds(14)));
  EXPECT_TRUE(free_after(seconds(15)));
}

TEST_F(LeaseSightTest, durations_that_make_no_sense_are_bounded_from_both_sides) {
  for (const Duration nonsense : {Duration{-5'000}, Duration{0}, Duration{1'000}, Duration{14'000}}) {
    LeaseSight fresh("me", seconds(15));
    fresh.saw(lease("other", nonsense), start);
    EXPECT_EQ(fresh.judge(false, start + seconds(14)), LeaseVerdict::Wait) << nonsense.count();
    EXPECT_EQ(fresh.judge(false, start + seconds(15)), LeaseVerdict::Take) << nonsense.count();
  }
  sight.saw(lease("other", hours(24 * 365)), start);
  EXPECT_FALSE(free_after(minutes(9)));
  EXPECT_TRUE(free_after(minutes(10)));
}

TEST_F(LeaseSightTest, a_shorter_duration_written_by_hand_does_not_shorten_the_wait) {
  sight.saw(lease("other", seconds(60)), start);
  sight.saw(lease("other", seconds(1), "2"), start + seconds(1));
  EXPECT_FALSE(free_after(seconds(59)));
  EXPECT_TRUE(free_after(seconds(60)));
}

TEST_F(LeaseSightTest, our_own_lease_is_ours_to_write) {
  sight.saw(lease("me", seconds(15)), start);
  EXPECT_EQ(sight.judge(false, start), LeaseVerdict::Take);
  EXPECT_EQ(sight.judge(true, start), LeaseVerdict::Take);
}

TEST_F(LeaseSightTest, a_leader_that_sees_another_holder_has_lost_and_one_that_sees_none_has_not) {
  sight.saw(lease("", seconds(15)), start);
  EXPECT_EQ(sight.judge(true, start), LeaseVerdict::Take);
  sight.saw_none();
  EXPECT_EQ(sight.judge(true, start), LeaseVerdict::Take);
  sight.saw(lease("other", seconds(1)), start);
  EXPECT_EQ(sight.judge(true, start + hours(1)), LeaseVerdict::Lost);
}

}  // namespace
}  // namespace reprise::runtime
