#include "agent/process/system_threads.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;

TEST(worker, works_at_once_and_again_when_kicked) {
  auto first = std::make_shared<std::promise<void>>();
  auto second = std::make_shared<std::promise<void>>();
  auto count = std::make_shared<std::atomic<int>>(0);
  SystemWorker worker(1h, [=] {
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
  SystemWorker worker(1h, [=] {
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
    SystemWorker worker(1h, [begun, released] {
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

// Takes all threads that this process may have.
void exhaust_threads() {
  constexpr rlim_t kRoom = rlim_t{256} << 20U;
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kRoom;
  const rlimit bounds{.rlim_cur = limit, .rlim_max = limit};
  ::setrlimit(RLIMIT_AS, &bounds);
  try {
    for (;;) std::thread([] { ::pause(); }).detach();
  } catch (const std::system_error&) {
  }
}

TEST(worker, that_gets_no_thread_fails_and_its_process_lives) {
  EXPECT_EXIT(
      {
        exhaust_threads();
        std::_Exit(run_bounded(1h, [] {}) ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace reprise::agent
