#include "runtime/cache/watch/watch_activity.h"

#include <gtest/gtest.h>

namespace reprise::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Instant start{std::chrono::hours(1)};

bool alive(const WatchActivity& watch, Duration later) {
  return check_watch(watch.status("n", start + later), minutes(5), minutes(1)).has_value();
}

TEST(WatchActivity, a_connected_watch_without_a_byte_for_five_minutes_is_dead) {
  WatchActivity watch;
  watch.stepped(WatchState::Live, {}, start, true);
  EXPECT_TRUE(alive(watch, minutes(5)));
  EXPECT_FALSE(alive(watch, minutes(5) + seconds(1)));
  watch.stepped(WatchState::Live, {}, start + minutes(5), true);
  EXPECT_TRUE(alive(watch, minutes(6)));
}

TEST(WatchActivity, what_is_no_byte_keeps_no_watch_alive) {
  WatchActivity watch;
  watch.stepped(WatchState::Live, {}, start, true);
  watch.stepped(WatchState::Live, {}, start + minutes(5), false);
  EXPECT_FALSE(alive(watch, minutes(6)));
}

TEST(WatchActivity, one_that_forgot_its_own_deadline_for_a_minute_is_dead_whatever_its_state) {
  for (const WatchState state : {WatchState::Opening, WatchState::Streaming, WatchState::Live, WatchState::Waiting}) {
    WatchActivity watch;
    watch.stepped(state, start + seconds(30), start, true);
    EXPECT_TRUE(alive(watch, seconds(90))) << name(state);
    EXPECT_FALSE(alive(watch, seconds(91))) << name(state);
  }
}

TEST(WatchActivity, a_list_without_an_answer_for_five_minutes_is_dead) {
  WatchActivity watch;
  watch.stepped(WatchState::Listing, {}, start, false);
  EXPECT_TRUE(alive(watch, minutes(5)));
  EXPECT_FALSE(alive(watch, minutes(5) + seconds(1)));
}

TEST(WatchActivity, a_server_out_of_reach_for_hours_is_no_reason_to_restart) {
  WatchActivity watch;
  for (int i = 0; i < 200; ++i) {
    const Instant now = start + seconds(60) * i;
    watch.stepped(WatchState::Waiting, now + seconds(30), now, false);
    EXPECT_TRUE(check_watch(watch.status("", now + seconds(31)), minutes(5), minutes(1)));
    watch.stepped(WatchState::Opening, now + seconds(61), now + seconds(31), false);
    EXPECT_TRUE(check_watch(watch.status("", now + seconds(59)), minutes(5), minutes(1)));
  }
}

TEST(WatchActivity, one_that_was_never_started_or_was_stopped_is_no_fault) {
  WatchActivity watch;
  EXPECT_TRUE(alive(watch, minutes(500)));
  watch.stepped(WatchState::Stopped, start, start, true);
  EXPECT_TRUE(alive(watch, minutes(500)));
}

TEST(WatchActivity, shows_ages_of_what_it_saw) {
  WatchActivity watch;
  EXPECT_FALSE(watch.status("n", start).last_byte_age);
  watch.stepped(WatchState::Live, start + seconds(5), start, true);
  watch.stepped(WatchState::Live, start + seconds(5), start + seconds(2), false);
  const WatchStatus status = watch.status("n", start + seconds(6));
  EXPECT_EQ(status.last_byte_age, seconds(6));
  EXPECT_EQ(status.last_step_age, seconds(4));
  EXPECT_EQ(status.overdue, seconds(1));
  EXPECT_EQ(status.namespace_, "n");
}

}  // namespace
}  // namespace reprise::runtime
