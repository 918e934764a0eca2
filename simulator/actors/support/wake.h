// Planned work that goes with its owner: what is still planned is cancelled when the owner ends.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "simulator/cluster/event_loop.h"

namespace reprise::simulator {

// One step of an actor. Asking again while it is planned brings it forward and never doubles it.
class Wake {
 public:
  Wake(EventLoop& loop, std::function<void()> work) : loop_(loop), work_(std::move(work)) {}
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  ~Wake() { cancel(); }

  void within(Duration delay) {
    const Duration at = loop_.now() + delay;
    if (ticket_ && at >= at_) return;
    cancel();
    at_ = at;
    ticket_ = loop_.after(delay, [this] {
      ticket_.reset();
      work_();
    });
  }
  void cancel() {
    if (ticket_) loop_.cancel(*ticket_);
    ticket_.reset();
  }

 private:
  EventLoop& loop_;
  std::function<void()> work_;
  std::optional<EventLoop::Ticket> ticket_;
  Duration at_{0};
};

// Any number of pieces of work, each run once.
class Timers {
 public:
  explicit Timers(EventLoop& loop) : loop_(loop) {}
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;
  ~Timers() { cancel_all(); }

  void after(Duration delay, std::function<void()> work) {
    const std::uint64_t id = next_++;
    planned_[id] = loop_.after(delay, [this, id, does = std::move(work)] {
      planned_.erase(id);
      does();  // may end the owner: nothing of it is touched afterwards
    });
  }
  void cancel_all() {
    for (const auto& [id, ticket] : planned_) loop_.cancel(ticket);
    planned_.clear();
  }

 private:
  EventLoop& loop_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, EventLoop::Ticket> planned_;
};

}  // namespace reprise::simulator
