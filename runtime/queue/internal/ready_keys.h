// Which ready key is next. Pure: no lock, no clock; every call takes constant time.
//
// Laws, with n the most namespaces that have ready keys of the same priority while a key waits, and p the keys of its
// own namespace and priority that were ready before it:
// - News goes first, but when Background waits, every 8th key taken is of Background. So Background never starves, and
//   it costs News at most an eighth.
// - Within a priority namespaces take turns and the keys of one namespace come in order. So a key of News is taken
//   among the next (p + 1) * n * 8/7 + 1, a key of Background among the next (p + 1) * n * 8, however many keys other
//   namespaces have.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>

#include "runtime/base/object_key.h"
#include "runtime/queue/internal/intrusive_list.h"
#include "runtime/queue/priority.h"

namespace reprise::runtime::internal {

// The key's place in the order; part of whatever describes the key.
struct ReadyLink {
  const ObjectKey* key = nullptr;  // set before it is put anywhere
  ReadyLink *previous = nullptr, *next = nullptr;
};

class ReadyKeys {
 public:
  // Of 8 keys taken one is of Background: small enough to leave News alone, large enough that a list of 30,000 that
  // arrives in the middle of a storm is through while people still watch.
  static constexpr int background_share = 8;

  // Not in here yet. A link stays at its address until it is taken or removed.
  void push(ReadyLink& link, Priority priority);
  // In here with that priority.
  void remove(ReadyLink& link, Priority priority);
  // Null when there is none.
  [[nodiscard]] ReadyLink* take();
  // How many are ready.
  [[nodiscard]] std::size_t size(Priority priority) const { return lane(priority).size; }
  [[nodiscard]] std::size_t size() const { return lanes_[0].size + lanes_[1].size; }

 private:
  struct Turn {  // of one namespace
    IntrusiveList<ReadyLink> keys;
    Turn *previous = nullptr, *next = nullptr;
  };
  struct Lane {
    std::unordered_map<std::string, Turn> turns;  // only namespaces with ready keys
    IntrusiveList<Turn> order;
    std::size_t size = 0;
  };

  [[nodiscard]] static std::size_t index(Priority priority) { return priority == Priority::News ? 0 : 1; }
  [[nodiscard]] const Lane& lane(Priority priority) const { return lanes_[index(priority)]; }
  [[nodiscard]] Priority next_lane();

  std::array<Lane, 2> lanes_;
  int news_in_a_row_ = 0;  // while Background waited
};

}  // namespace reprise::runtime::internal
