#include "runtime/queue/internal/key_states.h"

#include <gtest/gtest.h>

namespace reprise::runtime::internal {
namespace {

using std::chrono::seconds;

struct KeyStatesTest : ::testing::Test {
  std::string take() {
    const auto taken = keys.take(now);
    return taken ? taken->key.name : "nothing";
  }
  KeyStates keys{BackoffPolicy{}};
  Instant now{seconds(1000)};
  const ObjectKey a{"n", "a"}, b{"n", "b"}, c{"n", "c"};
};

TEST_F(KeyStatesTest, a_key_that_is_nowhere_takes_no_memory) {
  keys.add(a, Priority::News, now);
  keys.add_at(b, Priority::News, now + seconds(1));
  (void)keys.next_backoff(c);
  EXPECT_EQ(keys.known(), 3U);
  (void)keys.wake(now + seconds(1));
  while (const auto taken = keys.take(now)) keys.done(ObjectKey(taken->key));
  EXPECT_EQ(keys.known(), 1U);
  keys.forget(c);
  EXPECT_EQ(keys.known(), 0U);
}

TEST_F(KeyStatesTest, a_waiting_key_has_the_highest_priority_that_was_asked_for) {
  keys.add(a, Priority::Background, now);
  keys.add(b, Priority::News, now);
  keys.add(a, Priority::News, now);
  keys.add(b, Priority::Background, now);
  EXPECT_EQ(keys.ready(Priority::News), 2U);
  EXPECT_EQ(keys.ready(Priority::Background), 0U);
}

TEST_F(KeyStatesTest, a_delay_that_is_taken_up_hands_its_priority_on) {
  keys.add_at(a, Priority::News, now + seconds(5));
  keys.add(a, Priority::Background, now);
  EXPECT_EQ(keys.ready(Priority::News), 1U);
  EXPECT_EQ(keys.delayed(), 0U);
}

TEST_F(KeyStatesTest, what_is_asked_for_a_key_in_work_does_not_inherit_its_priority) {
  keys.add(a, Priority::News, now);
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(keys.priority_in_work(a), Priority::News);
  keys.add(a, Priority::Background, now);
  EXPECT_TRUE(keys.done(a)->ready);
  EXPECT_EQ(keys.ready(Priority::Background), 1U);
}

TEST_F(KeyStatesTest, a_key_that_will_be_worked_on_again_anyway_keeps_no_delay) {
  keys.add(a, Priority::Background, now);
  EXPECT_EQ(take(), "a");
  keys.add_at(a, Priority::News, now + seconds(5));
  keys.add(a, Priority::Background, now);
  EXPECT_EQ(keys.delayed(), 0U);
  EXPECT_FALSE(keys.add_at(a, Priority::Background, now + seconds(5)));
  EXPECT_EQ(keys.delayed(), 0U);
  (void)keys.done(a);
  EXPECT_EQ(keys.ready(Priority::News), 1U);
}

TEST_F(KeyStatesTest, delays_end_in_order_of_time_and_then_of_asking) {
  keys.add_at(c, Priority::News, now + seconds(3));
  keys.add_at(b, Priority::News, now + seconds(2));
  keys.add_at(a, Priority::News, now + seconds(2));
  EXPECT_EQ(keys.next_due(), now + seconds(2));
  EXPECT_EQ(keys.wake(now + seconds(3)).ready, 3U);
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(take(), "c");
  EXPECT_EQ(keys.next_due(), std::nullopt);
}

TEST_F(KeyStatesTest, dropping_what_waits_leaves_what_is_in_work_and_nothing_to_come) {
  keys.add(a, Priority::News, now);
  EXPECT_EQ(take(), "a");
  keys.add(a, Priority::News, now);
  keys.add(b, Priority::Background, now);
  keys.add_at(c, Priority::News, now + seconds(1));
  keys.drop_waiting();
  EXPECT_EQ(keys.known(), 1U);
  EXPECT_FALSE(keys.done(a)->ready);
  EXPECT_EQ(keys.known(), 0U);
}

}  // namespace
}  // namespace reprise::runtime::internal
