#include "simulator/cluster/event_loop.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/random.h"

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

TEST(EventLoop, the_ticket_of_work_that_ran_cancels_nothing_that_was_planned_since) {
  EventLoop loop;
  int ran = 0;
  const auto first = loop.after(Duration{1}, [&] { ++ran; });
  ASSERT_TRUE(loop.step());
  const auto second = loop.after(Duration{1}, [&] { ++ran; });
  EXPECT_NE(first, second);
  EXPECT_FALSE(loop.cancel(first));
  EXPECT_TRUE(loop.step());
  EXPECT_EQ(ran, 2);
}

TEST(EventLoop, what_cancelled_work_held_is_let_go_of_at_once) {
  EventLoop loop;
  auto held = std::make_shared<int>(1);
  const auto ticket = loop.after(Duration{10}, [held] {});
  loop.after(Duration{20}, [] {});
  ASSERT_EQ(held.use_count(), 2);
  loop.cancel(ticket);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(loop.next(), Duration{20});
}

TEST(EventLoop, whatever_is_planned_and_cancelled_the_rest_runs_in_order) {
  runtime::SeededRandom random(7);
  EventLoop loop;
  std::set<std::pair<Duration, EventLoop::Ticket>> planned;
  std::vector<EventLoop::Ticket> ran, wanted;
  std::map<EventLoop::Ticket, Duration> times;
  for (int i = 0; i < 2'000; ++i) {
    const Duration delay{static_cast<Duration::rep>(random.uniform() * 50)};
    auto own = std::make_shared<EventLoop::Ticket>();
    *own = loop.after(delay, [&ran, own] { ran.push_back(*own); });
    times[*own] = loop.now() + delay;
    planned.emplace(times[*own], *own);
    if (random.uniform() < 0.3) {
      const auto some =
          std::next(times.begin(), static_cast<std::ptrdiff_t>(random.uniform() * static_cast<double>(times.size())));
      const bool is_planned = planned.erase({some->second, some->first}) == 1;
      ASSERT_EQ(loop.cancel(some->first), is_planned);
    }
    if (random.uniform() < 0.4 && !planned.empty()) {
      wanted.push_back(planned.begin()->second);
      planned.erase(planned.begin());
      ASSERT_TRUE(loop.step());
    }
    ASSERT_EQ(ran, wanted);
  }
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
