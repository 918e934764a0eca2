#include "agent/worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;

TEST(worker, works_at_once_and_again_when_kicked) {
  auto first = std::make_shared<std::promise<void>>();
  auto second = std::make_shared<std::promise<void>>();
  auto count = std::make_shared<std::atomic<int>>(0);
  Worker worker(1h, [=] {
    const int now = ++*count;
    if (now == 1) first->set_value();
    if (now == 2) second->set_value();
  });
  ASSERT_EQ(first->get_future().wait_for(20s), std::future_status::ready);
  worker.kick();
  ASSERT_EQ(second->get_future().wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(worker.finish(20s));
}

TEST(worker, takes_a_shorter_period_while_it_waits) {
  auto second = std::make_shared<std::promise<void>>();
  auto count = std::make_shared<std::atomic<int>>(0);
  Worker worker(1h, [=] {
    if (++*count == 2) second->set_value();
  });
  worker.set_period(1ms);
  EXPECT_EQ(second->get_future().wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(worker.finish(20s));
}

TEST(worker, that_hangs_is_left_behind) {
  auto release = std::make_shared<std::promise<void>>();
  auto released = std::make_shared<std::shared_future<void>>(release->get_future().share());
  {
    auto begun = std::make_shared<std::promise<void>>();
    Worker worker(1h, [begun, released] {
      begun->set_value();
      released->wait();
    });
    begun->get_future().wait();
    EXPECT_FALSE(worker.finish(10ms));
  }
  EXPECT_FALSE(run_bounded(10ms, [released] { released->wait(); }));
  release->set_value();
  EXPECT_TRUE(run_bounded(20s, [released] { released->wait(); }));
}

}  // namespace
}  // namespace reprise::agent
