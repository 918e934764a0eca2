// Chooses the next ready key. Pure: no lock, no clock; every call takes constant time.
//
// Invariants, with n the most namespaces that have ready keys of the same priority while a key waits, and p the keys of
// its own namespace and priority that were ready before it:
// - Underway goes first, but when anything else waits, every 4th key taken is of that. Of all else News goes first, but
//   when Background waits, every 8th is of Background. So nothing starves, and Background costs News at most an eighth.
// - Within a priority namespaces take turns and the keys of one namespace come in order. So a key of Underway is taken
//   among the next (p + 1) * n * 4/3 + 1. While none is Underway a key of News is taken among the next
//   (p + 1) * n * 8/7 + 1, a key of Background among the next (p + 1) * n * 8; otherwise among four times as many.
//   However many keys other namespaces have.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>

#include "runtime/base/object_key.h"
#include "runtime/queue/internal/intrusive_list.h"
#include "runtime/queue/priority.h"

namespace reprise::runtime::internal {

// The key's place in the order; part of the key's description.
struct ReadyLink {
  const ObjectKey* key = nullptr;  // set before it is put anywhere
  ReadyLink *previous = nullptr, *next = nullptr;
};

class ReadyKeys {
 public:
  // One of 8 keys taken is of Background: small enough to leave News alone, large enough that a list of 30,000 that
  // arrives in the middle of a storm is through while people still watch.
  static constexpr int background_share = 8;
  // One of 4 keys taken is not Underway. With half of them the median of a storm was 0.62 of the last; with none a
  // first look, which may warn somebody in time to save, would wait for all that others have begun.
  static constexpr int others_share = 4;

  // Adds a link that is not in here yet. It stays at its address until it is taken or removed.
  void push(ReadyLink& link, Priority priority);
  // Removes a link that is in here with that priority.
  void remove(ReadyLink& link, Priority priority);
  // Null when there is none.
  [[nodiscard]] ReadyLink* take();
  // The number of ready keys.
  [[nodiscard]] std::size_t size(Priority priority) const { return lane(priority).size; }
  [[nodiscard]] std::size_t size() const { return lanes_[0].size + lanes_[1].size + lanes_[2].size; }

 private:
  struct Turn {  // keys of one namespace
    IntrusiveList<ReadyLink> keys;
    Turn *previous = nullptr, *next = nullptr;
  };
  struct Lane {
    std::unordered_map<std::string, Turn> turns;  // only namespaces with ready keys
    IntrusiveList<Turn> order;
    std::size_t size = 0;
  };

  [[nodiscard]] static std::size_t index(Priority priority);
  [[nodiscard]] const Lane& lane(Priority priority) const { return lanes_[index(priority)]; }
  [[nodiscard]] Priority next_lane();

  std::array<Lane, all_priorities.size()> lanes_;
  int underway_in_a_row_ = 0;  // while others waited
  int news_in_a_row_ = 0;      // while Background waited
};

}  // namespace reprise::runtime::internal
