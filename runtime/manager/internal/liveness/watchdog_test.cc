#include "runtime/manager/internal/liveness/watchdog.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "runtime/base/fatal_exit.h"
#include "runtime/manager/internal/stop_signal.h"

namespace reprise::runtime::internal {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

[[noreturn]] void hang() {
  while (true) pause();
}

struct WatchdogDeathTest : ::testing::Test {
  WatchdogDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  static void abort(std::string_view why) { end_process(why); }
};

TEST_F(WatchdogDeathTest, a_shutdown_beyond_its_limit_ends_the_process) {
  const auto stuck = [] {
    const Watchdog watchdog(milliseconds(1), -1, &WatchdogDeathTest::abort);
    hang();
  };
  EXPECT_EXIT(stuck(), ::testing::ExitedWithCode(EXIT_FAILURE), "took too long");
}

TEST_F(WatchdogDeathTest, a_second_signal_ends_the_process_at_once) {
  const auto asked_twice = [] {
    StopSignal::block();
    StopSignal stop;
    kill(getpid(), SIGTERM);
    if (!stop.wait([] {})) std::_Exit(3);
    const Watchdog watchdog(hours(1), stop.signals(), &WatchdogDeathTest::abort);
    kill(getpid(), SIGTERM);
    hang();
  };
  EXPECT_EXIT(asked_twice(), ::testing::ExitedWithCode(EXIT_FAILURE), "second time");
}

TEST(Watchdog, a_shutdown_that_is_over_in_time_ends_nothing) {
  { const Watchdog watchdog(hours(1), -1, &WatchdogDeathTest::abort); }
  SUCCEED();
}

TEST(StopSignal, a_request_is_no_signal) {
  StopSignal stop;
  stop.request();
  EXPECT_FALSE(stop.wait([] {}));
}

}  // namespace
}  // namespace reprise::runtime::internal
