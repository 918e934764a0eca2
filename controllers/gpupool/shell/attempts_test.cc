// Requests that came to nothing: when they are tried again, and with which message they are reported.
#include "controllers/gpupool/shell/attempts.h"

#include <gtest/gtest.h>

namespace reprise::controllers::gpupool {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr runtime::Instant kNow{std::chrono::hours(1)};
const std::string kMake = "create NodePool t4-spot";

TEST(Attempts, what_was_rejected_waits_longer_each_time_and_a_quarter_of_an_hour_at_most) {
  Attempts attempts;
  runtime::Instant now = kNow;
  for (const int wait : {60, 120, 240, 480, 900, 900}) {
    attempts.begin(1);
    EXPECT_FALSE(attempts.held(kMake, now));
    attempts.rejected(kMake, "no", now);
    EXPECT_TRUE(attempts.held(kMake, now + seconds(wait - 1)));
    now += seconds(wait);
    EXPECT_EQ(attempts.next(), now);
    attempts.end(now);
  }
}

TEST(Attempts, a_message_stands_for_five_minutes) {
  Attempts attempts;
  EXPECT_EQ(attempts.rejected(kMake, "request 1", kNow).message, "request 1");
  EXPECT_EQ(attempts.rejected(kMake, "request 2", kNow + minutes(4)).message, "request 1");
  EXPECT_EQ(attempts.rejected(kMake, "request 3", kNow + minutes(5)).message, "request 3");
}

TEST(Attempts, another_generation_is_tried_at_once) {
  Attempts attempts;
  attempts.begin(1);
  attempts.rejected(kMake, "no", kNow);
  attempts.begin(2);
  EXPECT_FALSE(attempts.held(kMake, kNow));
}

TEST(Attempts, a_failure_that_may_pass_is_reported_the_third_time_in_a_row_and_never_holds) {
  Attempts attempts;
  EXPECT_FALSE(attempts.failed(kMake, "500", kNow));
  EXPECT_FALSE(attempts.failed(kMake, "500", kNow));
  EXPECT_EQ(attempts.failed(kMake, "500", kNow)->message, "500");
  EXPECT_FALSE(attempts.held(kMake, kNow));
  EXPECT_FALSE(attempts.next());
  attempts.made(kMake);
  EXPECT_FALSE(attempts.failed(kMake, "500", kNow));
}

TEST(Attempts, a_failure_that_may_pass_does_not_take_back_what_was_reported) {
  Attempts attempts;
  attempts.rejected(kMake, "no", kNow);
  const runtime::Instant retried = kNow + seconds(60);
  ASSERT_TRUE(attempts.failed(kMake, "500", retried));
  EXPECT_EQ(attempts.failed(kMake, "500", retried)->message, "no");
}

TEST(Attempts, a_second_change_of_the_same_thing_waits_and_a_first_one_is_soon_forgotten) {
  Attempts attempts;
  attempts.begin(1);
  attempts.changed(kMake, kMake, kNow);
  attempts.end(kNow);
  attempts.begin(1);
  ASSERT_TRUE(attempts.held(kMake, kNow + seconds(1)));
  EXPECT_EQ(attempts.held(kMake, kNow + seconds(1))->cause, Obstacle::Cause::ChangedBack);
  attempts.begin(1);
  attempts.end(kNow + seconds(60));
  EXPECT_FALSE(attempts.held(kMake, kNow + seconds(60)));
  EXPECT_FALSE(attempts.next());
}

TEST(Attempts, what_was_rejected_and_is_still_wanted_is_an_obstacle_due_or_not_and_wakes_nobody_once_it_is_due) {
  Attempts attempts;
  attempts.begin(1);
  EXPECT_FALSE(attempts.still_rejected(kMake, kNow));
  attempts.rejected(kMake, "no", kNow);
  attempts.end(kNow);
  for (const int passed : {1, 59, 60, 3600}) {
    const runtime::Instant now = kNow + seconds(passed);
    attempts.begin(1);
    EXPECT_EQ(attempts.rejected("create ", now), (std::map<std::string, bool, std::less<>>{
                                                     {"NodePool t4-spot", passed >= 60},
                                                 }));
    ASSERT_TRUE(attempts.still_rejected(kMake, now)) << passed;
    EXPECT_EQ(attempts.still_rejected(kMake, now)->message, "no");
    EXPECT_EQ(attempts.next().has_value(), passed < 60) << passed;
    attempts.end(now);
  }
  EXPECT_TRUE(attempts.rejected("delete ", kNow).empty());
  attempts.begin(1);
  attempts.end(kNow + seconds(3600));
  EXPECT_TRUE(attempts.rejected("create ", kNow).empty()) << "nobody wants it any more";
}

TEST(Attempts, what_failed_for_a_cause_that_may_pass_was_not_rejected) {
  Attempts attempts;
  for (int i = 0; i < 3; ++i) static_cast<void>(attempts.failed(kMake, "500", kNow));
  EXPECT_TRUE(attempts.rejected("", kNow).empty());
}

}  // namespace
}  // namespace reprise::controllers::gpupool
