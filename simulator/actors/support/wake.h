// Planned work that goes with its owner: the end of the owner cancels it. While the owner's machine stands still, it
// waits until the machine goes on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "simulator/actors/support/standstill.h"
#include "simulator/cluster/event_loop.h"

namespace reprise::simulator {

// One step of an actor. Asking again while it is planned brings it forward and never doubles it.
class Wake {
 public:
  // `standstill`, of the machine it runs on, outlives it.
  Wake(EventLoop& loop, std::function<void()> work, Standstill* standstill = nullptr)
      : loop_(loop), work_(std::move(work)), standstill_(standstill) {}
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  ~Wake() { cancel(); }

  void within(Duration delay) {
    const Duration at = loop_.now() + delay;
    if (held_ || (ticket_ && at >= at_)) return;
    cancel();
    at_ = at;
    ticket_ = loop_.after(delay, [this] {
      ticket_.reset();
      run();
    });
  }
  void cancel() {
    if (ticket_) loop_.cancel(*ticket_);
    if (held_) standstill_->forget(*held_);
    ticket_.reset();
    held_.reset();
  }

 private:
  void run() {
    if (standstill_ == nullptr || !standstill_->lasts()) return work_();
    held_ = standstill_->hold([this] {
      held_.reset();
      work_();
    });
  }

  EventLoop& loop_;
  std::function<void()> work_;
  Standstill* standstill_;
  std::optional<EventLoop::Ticket> ticket_;
  std::optional<Standstill::Ticket> held_;
  Duration at_{0};
};

// Any number of pieces of work, each run once.
class Timers {
 public:
  // `standstill`, of the machine it runs on, outlives it.
  explicit Timers(EventLoop& loop, Standstill* standstill = nullptr) : loop_(loop), standstill_(standstill) {}
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;
  ~Timers() { cancel_all(); }

  void after(Duration delay, std::function<void()> work) {
    const std::uint64_t id = next_++;
    planned_[id] = loop_.after(delay, [this, id, does = std::move(work)] {
      planned_.erase(id);
      if (standstill_ != nullptr && standstill_->lasts()) return hold(id, does);
      does();  // may end the owner: nothing of it is touched afterwards
    });
  }
  void cancel_all() {
    for (const auto& [id, ticket] : planned_) loop_.cancel(ticket);
    for (const auto& [id, ticket] : held_) standstill_->forget(ticket);
    planned_.clear();
    held_.clear();
  }

 private:
  void hold(std::uint64_t id, std::function<void()> work) {
    held_[id] = standstill_->hold([this, id, does = std::move(work)] {
      held_.erase(id);
      does();
    });
  }

  EventLoop& loop_;
  Standstill* standstill_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, EventLoop::Ticket> planned_;
  std::map<std::uint64_t, Standstill::Ticket> held_;
};

}  // namespace reprise::simulator
