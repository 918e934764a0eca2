// The states of the keys of a work queue, and how they change. Pure: no lock, no timer; the time is an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/object_key.h"
#include "runtime/queue/backoff.h"
#include "runtime/queue/internal/delayed_keys.h"
#include "runtime/queue/internal/ready_keys.h"
#include "runtime/queue/priority.h"

namespace reprise::runtime::internal {

// Result of adding a key.
enum class Added {
  Already,  // the key waits to be worked on anyway
  Ready,    // the key can be taken
  Deferred  // the key is in work and will be ready when that is done
};

struct TakenKey {
  const ObjectKey& key;  // valid until done()
  Instant added;
};
struct DoneKey {
  Instant taken;
  bool ready;  // the key was asked for meanwhile and can be taken again
};

// A key that is ready, delayed, in work or that has failed is here once; any other takes no memory. All calls take time
// that does not grow with the number of keys, or with its logarithm where delays are concerned.
class KeyStates {
 public:
  explicit KeyStates(BackoffPolicy backoff) : backoff_(backoff) {}
  KeyStates(const KeyStates&) = delete;
  KeyStates& operator=(const KeyStates&) = delete;

  // Takes up a delay. While a key waits its priority is the highest that was asked for.
  Added add(const ObjectKey& key, Priority priority, Instant now);
  // The earliest of several delays counts; a key that waits to be worked on anyway keeps none. False then.
  bool add_at(const ObjectKey& key, Priority priority, Instant due);
  // Counts a failure of the key and returns the delay of its next try.
  [[nodiscard]] Duration next_backoff(const ObjectKey& key);
  void forget(const ObjectKey& key);

  // The next call that asks for the key does so at this priority at least, until it is taken.
  void raise_next(const ObjectKey& key, Priority priority);

  // Makes due keys ready; counts the keys that became takeable, and all that were added.
  struct Woken {
    std::size_t ready = 0, added = 0;
  };
  Woken wake(Instant now);
  [[nodiscard]] std::optional<Instant> next_due() const;

  [[nodiscard]] std::optional<TakenKey> take(Instant now);
  // Empty when the key is not in work.
  std::optional<DoneKey> done(const ObjectKey& key);
  // The priority at which a key in work was taken; News for any other.
  [[nodiscard]] Priority priority_in_work(const ObjectKey& key) const;
  // The instants since which the keys in work have been so.
  [[nodiscard]] std::vector<Instant> in_work() const;

  // Drops all keys that are ready, delayed or asked for again.
  void drop_waiting();

  [[nodiscard]] std::size_t ready() const { return ready_.size(); }
  [[nodiscard]] std::size_t ready(Priority priority) const { return ready_.size(priority); }
  [[nodiscard]] std::size_t delayed() const { return delayed_.size(); }
  // Keys whose last try failed, and the longest row of failures of one. Looks at every key.
  struct Failing {
    std::size_t keys = 0;
    int most = 0;
  };
  [[nodiscard]] Failing failing() const;
  // Keys that take memory.
  [[nodiscard]] std::size_t known() const { return items_.size(); }

 private:
  enum class State : std::uint8_t { Idle, Ready, InWork, InWorkAgain };
  struct Item : ReadyLink, DelayLink {
    Instant added{}, taken{};
    int failures = 0;
    State state = State::Idle;
    Priority asked = Priority::Background;    // for the next time it is worked on
    Priority in_work = Priority::Background;  // at which it is worked on
    Priority least = Priority::Background;    // for the next call that asks for it
  };
  using Items = std::unordered_map<ObjectKey, Item>;

  [[nodiscard]] Item& item(const ObjectKey& key);
  Added ask(Item& item, Priority priority, Instant now);
  void raise(Item& item, Priority priority);
  void drop_if_idle(Item& item);

  BackoffPolicy backoff_;
  Items items_;
  ReadyKeys ready_;
  DelayedKeys delayed_;
  std::vector<Item*> in_work_;
};

}  // namespace reprise::runtime::internal
