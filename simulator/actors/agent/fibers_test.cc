#include "simulator/actors/agent/fibers.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace reprise::simulator {
namespace {

struct Process {
  EventLoop loop;
  Standstill standstill{loop};
  std::string done;
  Fibers fibers{loop, &standstill};
};

TEST(Fibers, run_in_the_order_of_virtual_time) {
  Process process;
  for (const char name : {'a', 'b'})
    process.fibers.start([&process, name] {
      for (int step = 0; step < 2; ++step) {
        process.done += name;
        process.fibers.sleep(Duration{name == 'a' ? 10 : 7});
      }
      process.done += '.';
    });
  process.loop.run_until(Duration{30});
  EXPECT_EQ(process.done, "abba..");
  EXPECT_FALSE(process.loop.next());
}

TEST(Fibers, that_are_woken_go_on_at_once_and_no_sleep_is_cut_short) {
  Process process;
  const auto waits = process.fibers.start([&] {
    process.fibers.park(Duration{50});
    process.done += 'w';
  });
  const auto sleeps = process.fibers.start([&] {
    process.fibers.sleep(Duration{50});
    process.done += 's';
  });
  process.loop.run_until(Duration{10});
  process.fibers.wake(waits);
  process.fibers.wake(sleeps);
  process.loop.run_until(Duration{20});
  EXPECT_EQ(process.done, "w");
  process.loop.run_until(Duration{50});
  EXPECT_EQ(process.done, "ws");
}

TEST(Fibers, of_a_machine_that_stands_still_go_on_when_it_does) {
  Process process;
  process.fibers.start([&] {
    process.fibers.sleep(Duration{10});
    process.done += 'x';
  });
  process.loop.run_until(Duration{5});
  process.standstill.begin();
  process.loop.run_until(Duration{100});
  EXPECT_EQ(process.done, "");
  process.standstill.end();
  process.loop.run_until(Duration{101});
  EXPECT_EQ(process.done, "x");
}

TEST(Fibers, of_a_process_that_has_ended_are_unwound_and_do_nothing_more) {
  Process process;
  bool released = false;
  struct Releases {
    bool& flag;
    ~Releases() { flag = true; }
  };
  process.fibers.start([&] {
    const Releases resource{released};
    process.fibers.sleep(Duration{10});
    process.done += 'x';
  });
  process.fibers.start([&] { process.done += "never begun"; });
  process.loop.step();
  process.fibers.end();
  EXPECT_TRUE(released);
  process.loop.run_until(Duration{100});
  EXPECT_EQ(process.done, "");
}

TEST(Fibers, tell_from_the_loop_that_one_has_ended) {
  Process process;
  process.fibers.start([] {}, [&] { process.fibers.end(); });
  process.fibers.start([&] { process.fibers.sleep(Duration{10}); });
  process.loop.run_until(Duration{100});
  EXPECT_TRUE(process.fibers.over());
}

}  // namespace
}  // namespace reprise::simulator
