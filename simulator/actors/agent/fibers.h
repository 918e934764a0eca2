// The threads of one simulated process, as fibers: each runs on a stack of its own, only when the event loop says so
// and never while its machine stands still, so that straight code can wait for virtual time. The end of the process
// ends them where they wait: their stacks are unwound and nothing they wait for happens any more.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "simulator/actors/support/wake.h"

namespace reprise::simulator {

class Fibers {
 public:
  using Id = std::uint64_t;  // never reused
  Fibers(EventLoop& loop, Standstill* standstill) : loop_(loop), standstill_(standstill) {}
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;
  ~Fibers() { end(); }

  // Runs `work` from the loop, soon; `ended` is called from the loop afterwards, and may end this.
  Id start(std::function<void()> work, std::function<void()> ended = {});
  // Has it go on soon, wherever it waits.
  void wake(Id fiber);
  // Wakes the fibers that wait for a call.
  void call();
  // Ends all fibers. Not from inside one.
  void end();
  // True once the process is gone: fibers are being unwound, and must change nothing.
  [[nodiscard]] bool over() const { return over_; }

  // ---- from inside a fiber
  [[nodiscard]] Id running() const { return running_; }
  // Returns at `until`, or when woken; without `until` only when woken. At once when the process is gone.
  void park(std::optional<Duration> until = {});
  void sleep(Duration duration);
  void wait_for_call();

 private:
  struct Fiber {
    Fiber(EventLoop& loop, std::function<void()> go_on, Standstill* standstill)
        : due(loop, std::move(go_on), standstill) {}
    boost::context::fiber context;
    std::function<void()> ended;
    bool done = false;
    Wake due;
  };
  void go_on(Id id);

  EventLoop& loop_;
  Standstill* standstill_;
  bool over_ = false;
  Id next_ = 1, running_ = 0;
  std::set<Id> wait_for_call_;
  boost::context::fiber loop_context_;  // the context that resumed the running fiber
  std::map<Id, std::unique_ptr<Fiber>> fibers_;
};

}  // namespace reprise::simulator
