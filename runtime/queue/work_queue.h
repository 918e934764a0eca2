// Keys that wait to be reconciled. A key is in it once; a key that is added while being worked on comes back after
// done(); no two workers ever hold one key.
//
// Order: Underway before News before Background, but one key of four taken is not of Underway while there is any other,
// and of the others one of eight is of Background, so that nothing starves; within a priority, namespaces take turns.
// With n namespaces that have ready keys of its priority and p ready keys of its own namespace before it, a key of
// Underway is among the next (p + 1) * n * 4/3 + 1 taken; while there is none of these a key of News is among the next
// (p + 1) * n * 8/7 + 1, a key of Background among the next (p + 1) * n * 8, otherwise among four times as many. Add
// and take cost the same however many keys there are; a delay costs its logarithm.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/base/executor.h"
#include "runtime/base/object_key.h"
#include "runtime/metrics/metrics.h"
#include "runtime/queue/backoff.h"
#include "runtime/queue/priority.h"

namespace reprise::runtime {

struct WorkQueueCounts {
  std::size_t ready = 0, working = 0, delayed = 0, failing = 0;
  int most_failures = 0;  // in a row, of one key
};

// Callable from any thread. `executor`, `clock` and `metrics` outlive it. Metrics have client-go's names and the labels
// controller and name, both `name`.
class WorkQueue {
 public:
  WorkQueue(std::string name, Executor& executor, const Clock& clock, MetricsRegistry& metrics,
            BackoffPolicy backoff = {});
  // shut_down().
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // While a key waits its priority is the highest that was asked for.
  void add(const ObjectKey& key, Priority priority = Priority::News);
  // The earliest of several delays for a key counts; a key that is to be worked on before then keeps none.
  void add_after(const ObjectKey& key, Duration delay, Priority priority = Priority::News);
  // The next call that adds the key does so at this priority at least.
  void raise_next(const ObjectKey& key, Priority priority);
  // Adds the key after its next backoff, but not before `at_least`; a key in work keeps the priority at which it was
  // taken, but a failed key is not Underway.
  void add_rate_limited(const ObjectKey& key, Duration at_least = Duration{0});
  // The key succeeded: its backoff starts anew.
  void forget(const ObjectKey& key);

  // Blocks until a key is ready; nothing after shut_down().
  [[nodiscard]] std::optional<ObjectKey> get();
  [[nodiscard]] std::optional<ObjectKey> try_get();
  // The priority at which a key in work was taken.
  [[nodiscard]] Priority priority_of(const ObjectKey& key) const;
  // Must follow every key taken.
  void done(const ObjectKey& key);

  // Drops all waiting keys, for good; wakes all get().
  void shut_down();
  // Keys ready to be taken.
  [[nodiscard]] std::size_t depth() const;
  // For the state dump.
  [[nodiscard]] WorkQueueCounts counts() const;
  // `hook` runs (any thread, no lock held) whenever a key becomes ready: for workers that are no threads. Once, before
  // use.
  void on_ready(std::function<void()> hook);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::runtime
