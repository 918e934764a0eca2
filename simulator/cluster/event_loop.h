// Virtual time: the next due work runs next, in order of time and then of asking. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::simulator {

using runtime::Duration;

class EventLoop final : public runtime::Clock {
 public:
  explicit EventLoop(runtime::WallTime start = runtime::WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 /
                                                                                       1}})
      : start_(start) {}
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  [[nodiscard]] runtime::WallTime wall() const override { return start_ + now_; }
  // Begins at one hour, so that subtracting from it stays in range.
  [[nodiscard]] runtime::Instant steady() const override { return runtime::Instant{std::chrono::hours{1}} + now_; }
  // The time since the start.
  [[nodiscard]] Duration now() const { return now_; }

  // Identifies planned work; never reused.
  using Ticket = std::uint64_t;
  Ticket after(Duration delay, std::function<void()> work);
  // False when it has run or was cancelled.
  bool cancel(Ticket ticket);

  // Runs the next piece of work, moving time to it. False: nothing is planned.
  bool step();
  // Runs all that is due until then; time stands there afterwards.
  void run_until(Duration time);
  // Runs the loop until `done` says so, also from inside work. False: nothing is planned any more.
  bool run_until_true(const std::function<bool()>& done);
  // Runs after each piece of work, also of work inside work. It may plan work and must not run the loop.
  void after_each_step(std::function<void()> look) { look_ = std::move(look); }
  [[nodiscard]] std::optional<Duration> next() const;
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  // A heap of due work, over slots that hold the work. Cancelling empties the slot at once; its entry in the heap is
  // dropped when it comes to the top, so that the top is always planned work.
  struct Due {
    Duration time;
    Ticket ticket;
    friend auto operator<=>(const Due&, const Due&) = default;
  };
  struct Slot {
    Ticket ticket = 0;  // 0: free
    std::function<void()> work;
  };
  [[nodiscard]] Slot& slot(Ticket ticket);
  [[nodiscard]] bool is_planned(Ticket ticket) const;
  std::function<void()> take(Ticket ticket);
  void drop_cancelled();

  runtime::WallTime start_;
  Duration now_{0};
  std::uint64_t asked_ = 0;
  std::uint64_t steps_ = 0;
  std::function<void()> look_;
  std::vector<Due> due_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_slots_;
};

}  // namespace reprise::simulator
