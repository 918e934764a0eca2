#include "agent/core/ends/end_timeouts.h"

#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;

constexpr TimeLeft after_stop_request(std::chrono::milliseconds grace) {
  return {.stop_requested = true, .grace = grace};
}
constexpr TimeLeft without_stop_request(std::chrono::milliseconds grace) {
  return {.stop_requested = false, .grace = grace};
}

TEST(end_timeouts, the_last_look_and_the_record_fit_into_the_grace_that_is_left) {
  for (const auto grace : {12s, 30s, 110s, 600s}) {
    const auto look = last_look_timeout(after_stop_request(grace));
    EXPECT_EQ(look + record_timeout(after_stop_request(grace - look)), grace);
    EXPECT_EQ(look, grace / 2);
  }
}

TEST(end_timeouts, a_record_on_a_slow_volume_is_given_all_of_a_long_grace) {
  EXPECT_EQ(record_timeout(after_stop_request(90s)), 90s);
}

TEST(end_timeouts, a_hanging_volume_holds_an_agent_that_nobody_kills_for_at_most_half_a_minute) {
  EXPECT_EQ(record_timeout(without_stop_request(600s)), 30s);
  EXPECT_EQ(record_timeout(without_stop_request(20s)), 20s);
}

TEST(end_timeouts, a_grace_that_is_over_still_leaves_a_try) {
  for (const auto grace : {0s, -40s}) {
    EXPECT_EQ(last_look_timeout(after_stop_request(grace)), 1s);
    EXPECT_EQ(only_look_timeout(after_stop_request(grace)), 1s);
    EXPECT_EQ(record_timeout(after_stop_request(grace)), 5s);
  }
}

TEST(end_timeouts, the_only_look_takes_a_third_of_a_short_grace_and_never_more_than_five_seconds) {
  EXPECT_EQ(only_look_timeout(after_stop_request(9s)), 3s);
  EXPECT_EQ(only_look_timeout(without_stop_request(110s)), 5s);
}

}  // namespace
}  // namespace reprise::agent
