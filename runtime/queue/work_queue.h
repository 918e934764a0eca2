// Keys that wait to be reconciled. A key is in it once; a key that is added while being worked on comes back after
// done(); no two workers ever hold one key. Delays run on the executor's timers, so virtual time drives them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "runtime/base/executor.h"
#include "runtime/base/object_key.h"
#include "runtime/observe/metrics.h"

namespace reprise::runtime {

struct BackoffPolicy {
  Duration first{5};
  Duration cap{300'000};
};

struct WorkQueueCounts {
  std::size_t ready = 0, working = 0, delayed = 0, failing = 0;
  int most_failures = 0;  // in a row, of one key
};

// Callable from any thread. `executor`, `clock` and `metrics` outlive it.
class WorkQueue {
 public:
  WorkQueue(std::string name, Executor& executor, const Clock& clock, MetricsRegistry& metrics,
            BackoffPolicy backoff = {});
  // shut_down().
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void add(const ObjectKey& key);
  // Of several delays for a key the earliest counts; an add() before then takes it up and the delay is forgotten.
  void add_after(const ObjectKey& key, Duration delay);
  // After the key's next backoff: first, doubled with each failure, up to cap; but not before `at_least`.
  void add_rate_limited(const ObjectKey& key, Duration at_least = Duration{0});
  // The key succeeded: its backoff starts anew.
  void forget(const ObjectKey& key);

  // Blocks until a key is ready; nothing after shut_down().
  [[nodiscard]] std::optional<ObjectKey> get();
  [[nodiscard]] std::optional<ObjectKey> try_get();
  // Must follow every key taken.
  void done(const ObjectKey& key);

  // Drops what waits; wakes all get().
  void shut_down();
  // Keys ready to be taken.
  [[nodiscard]] std::size_t depth() const;
  // For the state dump.
  [[nodiscard]] WorkQueueCounts counts() const;
  // `hook` runs (any thread, no lock held) whenever a key becomes ready: for workers that are no threads. Before use.
  void on_ready(std::function<void()> hook);

 private:
  struct Metrics;
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::runtime
