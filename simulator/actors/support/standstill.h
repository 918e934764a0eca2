// A machine that stands still: a paused virtual machine, a live migration. Work that is due there meanwhile runs when
// it goes on, in the order in which it was due; for that work, time has jumped.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "simulator/cluster/event_loop.h"

namespace reprise::simulator {

class Standstill {
 public:
  explicit Standstill(EventLoop& loop) : loop_(loop) {}
  Standstill(const Standstill&) = delete;
  Standstill& operator=(const Standstill&) = delete;
  ~Standstill() {
    for (const auto& [id, each] : held_)
      if (each.planned) loop_.cancel(*each.planned);
  }

  [[nodiscard]] bool lasts() const { return lasts_; }
  void begin() {
    lasts_ = true;
    for (auto& [id, each] : held_) {
      if (each.planned) loop_.cancel(*each.planned);
      each.planned.reset();
    }
  }
  // Held work runs in steps of its own, never inside this call.
  void end() {
    lasts_ = false;
    for (auto& [id, each] : held_)
      each.planned = loop_.after(Duration{0}, [this, held = id] {
        const auto work = std::move(held_.extract(held).mapped().work);
        work();  // may end this
      });
  }

  // Identifies work that is held back; never reused.
  using Ticket = std::uint64_t;
  Ticket hold(std::function<void()> work) {
    held_[next_] = {.work = std::move(work)};
    return next_++;
  }
  void forget(Ticket ticket) {
    const auto found = held_.find(ticket);
    if (found == held_.end()) return;
    if (found->second.planned) loop_.cancel(*found->second.planned);
    held_.erase(found);
  }

 private:
  struct Held {
    std::function<void()> work;
    std::optional<EventLoop::Ticket> planned = {};
  };
  EventLoop& loop_;
  bool lasts_ = false;
  Ticket next_ = 1;
  std::map<Ticket, Held> held_;
};

}  // namespace reprise::simulator
