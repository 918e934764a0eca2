#include "simulator/cluster/event_loop.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace reprise::simulator {
namespace {

TEST(EventLoop, work_runs_in_order_of_time_and_then_of_asking) {
  EventLoop loop;
  std::vector<int> ran;
  loop.after(Duration{20}, [&] { ran.push_back(3); });
  loop.after(Duration{10}, [&] { ran.push_back(1); });
  loop.after(Duration{10}, [&] { ran.push_back(2); });
  while (loop.step()) {
  }
  EXPECT_EQ(ran, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(loop.now(), Duration{20});
}

TEST(EventLoop, cancelled_work_does_not_run) {
  EventLoop loop;
  bool ran = false;
  const auto ticket = loop.after(Duration{10}, [&] { ran = true; });
  EXPECT_TRUE(loop.cancel(ticket));
  EXPECT_FALSE(loop.cancel(ticket));
  EXPECT_FALSE(loop.step());
  EXPECT_FALSE(ran);
}

TEST(EventLoop, time_stands_where_it_was_run_to) {
  EventLoop loop;
  const auto begin = loop.steady();
  loop.after(Duration{100}, [] {});
  loop.run_until(Duration{60});
  EXPECT_EQ(loop.now(), Duration{60});
  EXPECT_EQ(loop.next(), Duration{100});
  EXPECT_EQ(loop.steady() - begin, Duration{60});
}

TEST(EventLoop, work_that_waits_lets_others_work_meanwhile) {
  EventLoop loop;
  std::vector<std::string> ran;
  bool answered = false;
  loop.after(Duration{1}, [&] {
    ran.emplace_back("asks");
    loop.after(Duration{10}, [&] { answered = true; });
    EXPECT_TRUE(loop.run_until_true([&] { return answered; }));
    ran.emplace_back("has its answer");
  });
  loop.after(Duration{5}, [&] { ran.emplace_back("another"); });
  while (loop.step()) {
  }
  EXPECT_EQ(ran, (std::vector<std::string>{"asks", "another", "has its answer"}));
}

TEST(EventLoop, waiting_for_what_nobody_will_do_ends) {
  EventLoop loop;
  EXPECT_FALSE(loop.run_until_true([] { return false; }));
}

}  // namespace
}  // namespace reprise::simulator
