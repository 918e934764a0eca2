// Keys that become ready at an instant, earliest first, equal ones in the order they were put in. A binary heap of
// pointers: eight bytes for each key, no timer for each key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::runtime::internal {

// Part of the key's description; stays at its address while it is in here.
struct DelayLink {
  Instant due{};
  std::uint64_t order = 0;
  std::size_t place = 0;  // 1-based; 0: not delayed
  [[nodiscard]] bool delayed() const { return place != 0; }
};

class DelayedKeys {
 public:
  void push(DelayLink& link, Instant due) {
    link.due = due;
    link.order = ++pushed_;
    heap_.push_back(&link);
    link.place = heap_.size();
    rise(link.place);
  }
  void remove(DelayLink& link) {
    const std::size_t place = std::exchange(link.place, 0);
    DelayLink* const last = heap_.back();
    heap_.pop_back();
    if (last == &link) return;
    put(place, last);
    rise(place);
    sink(last->place);
  }
  // Null when there is none.
  [[nodiscard]] DelayLink* earliest() const { return heap_.empty() ? nullptr : heap_.front(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }

 private:
  [[nodiscard]] static bool before(const DelayLink& left, const DelayLink& right) {
    return left.due != right.due ? left.due < right.due : left.order < right.order;
  }
  [[nodiscard]] DelayLink* at(std::size_t place) const { return heap_[place - 1]; }
  void put(std::size_t place, DelayLink* link) {
    heap_[place - 1] = link;
    link->place = place;
  }
  void rise(std::size_t place) {
    DelayLink* const link = at(place);
    for (; place > 1 && before(*link, *at(place / 2)); place /= 2) put(place, at(place / 2));
    put(place, link);
  }
  void sink(std::size_t place) {
    DelayLink* const link = at(place);
    while (true) {
      std::size_t child = place * 2;
      if (child > heap_.size()) break;
      if (child < heap_.size() && before(*at(child + 1), *at(child))) ++child;
      if (!before(*at(child), *link)) break;
      put(place, at(child));
      place = child;
    }
    put(place, link);
  }

  std::vector<DelayLink*> heap_;
  std::uint64_t pushed_ = 0;
};

}  // namespace reprise::runtime::internal
