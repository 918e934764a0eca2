#include "runtime/queue/work_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "runtime/testing/manual_executor.h"

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ManualExecutor;
using testing::VirtualClock;

struct WorkQueueTest : ::testing::Test {
  // Everything that is ready, in order; each is done at once.
  std::vector<std::string> drain() {
    std::vector<std::string> taken;
    while (const auto key = queue.try_get()) {
      taken.push_back(key->name);
      queue.done(*key);
    }
    return taken;
  }
  double depth(Priority priority) {
    return metrics.gauge("workqueue_depth", "", {{"controller", "q"}, {"name", "q"}, {"priority", to_string(priority)}})
        .value();
  }
  VirtualClock clock;
  ManualExecutor executor{clock};
  MetricsRegistry metrics;
  WorkQueue queue{"q", executor, clock, metrics};
  const ObjectKey a{"n", "a"}, b{"n", "b"};
};
using Taken = std::vector<std::string>;

TEST_F(WorkQueueTest, a_key_is_in_the_queue_once_and_keys_come_in_order) {
  queue.add(a);
  queue.add(b);
  queue.add(a);
  EXPECT_EQ(drain(), (Taken{"a", "b"}));
}

TEST_F(WorkQueueTest, a_key_added_while_in_work_comes_back_after_done_and_not_before) {
  queue.add(a);
  ASSERT_EQ(queue.try_get(), a);
  queue.add(a);
  queue.add(a);
  EXPECT_EQ(queue.try_get(), std::nullopt);
  queue.done(a);
  EXPECT_EQ(drain(), Taken{"a"});
}

TEST_F(WorkQueueTest, what_was_begun_goes_before_what_was_not_whoever_asks_for_it_and_once) {
  queue.add(a);
  ASSERT_EQ(queue.try_get(), a);
  queue.raise_next(a, Priority::Underway);
  queue.done(a);
  queue.add(b);
  queue.add(a, Priority::Background);
  EXPECT_EQ(depth(Priority::Underway), 1);
  EXPECT_EQ(drain(), (Taken{"a", "b"}));
  queue.add(b);
  queue.add(a);
  EXPECT_EQ(drain(), (Taken{"b", "a"}));
}

TEST_F(WorkQueueTest, what_was_begun_and_fails_is_tried_again_as_news) {
  queue.raise_next(a, Priority::Underway);
  queue.add(a);
  ASSERT_EQ(queue.try_get(), a);
  queue.add_rate_limited(a);
  queue.done(a);
  executor.advance(seconds(1));
  EXPECT_EQ(depth(Priority::Underway), 0);
  EXPECT_EQ(depth(Priority::News), 1);
}

TEST_F(WorkQueueTest, the_earliest_of_several_delays_counts) {
  queue.add_after(a, seconds(10));
  queue.add_after(a, seconds(2));
  queue.add_after(a, seconds(5));
  executor.advance(milliseconds(1999));
  EXPECT_EQ(drain(), Taken{});
  executor.advance(milliseconds(1));
  EXPECT_EQ(drain(), Taken{"a"});
  executor.advance(seconds(20));
  EXPECT_EQ(drain(), Taken{});
}

TEST_F(WorkQueueTest, an_add_takes_up_the_delay) {
  queue.add_after(a, seconds(10));
  queue.add(a);
  EXPECT_EQ(drain(), Taken{"a"});
  executor.advance(seconds(20));
  EXPECT_EQ(drain(), Taken{});
}

TEST_F(WorkQueueTest, backoff_doubles_per_key_from_5_ms_to_5_min_and_forget_begins_anew) {
  for (int i = 0; i < 20; ++i) {
    queue.add_rate_limited(a);
    executor.advance(seconds(301));
    (void)drain();
  }
  queue.add_rate_limited(a);
  executor.advance(seconds(299));
  EXPECT_EQ(drain(), Taken{});
  executor.advance(seconds(1));
  EXPECT_EQ(drain(), Taken{"a"});
  queue.forget(a);
  queue.add_rate_limited(a);
  executor.advance(milliseconds(5));
  EXPECT_EQ(drain(), Taken{"a"});
  queue.add_rate_limited(a);
  executor.advance(milliseconds(9));
  EXPECT_EQ(drain(), Taken{});
  executor.advance(milliseconds(1));
  EXPECT_EQ(drain(), Taken{"a"});
}

TEST_F(WorkQueueTest, the_servers_delay_wins_over_a_shorter_backoff) {
  queue.add_rate_limited(a, seconds(7));
  executor.advance(seconds(6));
  EXPECT_EQ(drain(), Taken{});
  executor.advance(seconds(1));
  EXPECT_EQ(drain(), Taken{"a"});
}

TEST_F(WorkQueueTest, a_waiting_worker_is_woken_by_a_key_and_by_shutdown) {
  std::vector<std::string> taken;
  std::thread worker([&] {
    while (const auto key = queue.get()) {
      taken.push_back(key->name);
      queue.done(*key);
    }
  });
  queue.add(a);
  while (queue.depth() > 0) std::this_thread::yield();
  queue.shut_down();
  worker.join();
  EXPECT_EQ(taken, Taken{"a"});
  queue.add(b);
  EXPECT_EQ(queue.try_get(), std::nullopt);
}

TEST_F(WorkQueueTest, a_retry_keeps_the_priority_at_which_the_key_was_taken) {
  queue.add(a, Priority::Background);
  ASSERT_EQ(queue.try_get(), a);
  queue.add_rate_limited(a);
  queue.done(a);
  executor.advance(milliseconds(5));
  EXPECT_EQ(depth(Priority::Background), 1);
  EXPECT_EQ(depth(Priority::News), 0);
  queue.add(a);
  EXPECT_EQ(depth(Priority::Background), 0);
  EXPECT_EQ(depth(Priority::News), 1);
}

TEST_F(WorkQueueTest, one_timer_serves_any_number_of_delays) {
  for (int i = 0; i < 1000; ++i) queue.add_after({"n", std::to_string(i)}, seconds(1 + i % 10));
  executor.advance(seconds(9));
  EXPECT_EQ(queue.depth(), 900U);
  executor.advance(seconds(1));
  EXPECT_EQ(queue.depth(), 1000U);
  EXPECT_EQ(executor.next_timer(), std::nullopt);
}

TEST_F(WorkQueueTest, the_ready_hook_is_called_for_each_key_that_becomes_ready) {
  int calls = 0;
  queue.on_ready([&] { ++calls; });
  queue.add(a);
  queue.add(a);
  EXPECT_EQ(calls, 1);
  ASSERT_TRUE(queue.try_get());
  queue.add(a);
  EXPECT_EQ(calls, 1);
  queue.done(a);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace reprise::runtime
