// Virtual time: what is due next runs next, in order of time and then of asking. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

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
  // Since the start.
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
  // From inside work, too: runs the loop until `done` says so. False: nothing is planned any more.
  bool run_until_true(const std::function<bool()>& done);
  // Runs after each piece of work, also of work inside work. It may plan work and must not run the loop.
  void after_each_step(std::function<void()> look) { look_ = std::move(look); }
  [[nodiscard]] std::optional<Duration> next() const;
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  struct Due {
    Duration time;
    Ticket ticket;
    friend auto operator<=>(const Due&, const Due&) = default;
  };
  runtime::WallTime start_;
  Duration now_{0};
  Ticket next_ticket_ = 1;
  std::uint64_t steps_ = 0;
  std::function<void()> look_;
  std::map<Due, std::function<void()>> planned_;
  std::map<Ticket, Duration> times_;
};

}  // namespace reprise::simulator
