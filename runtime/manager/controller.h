// Feeds one Reconciler from one queue.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/random.h"
#include "runtime/cache/watch/watermarks.h"
#include "runtime/manager/reconciler.h"
#include "runtime/metrics/metrics.h"
#include "runtime/metrics/running_work.h"
#include "runtime/queue/work_queue.h"

namespace reprise::runtime {

namespace internal {
class Cancellation;
}

struct ControllerOptions {
  // Keys worked on at once; one key never twice. Reconciles mostly wait for the API server, so a few are enough.
  int max_concurrent = 4;
  // No request of a reconcile begins after this or lasts beyond it: the call then ends with Unavailable and the key
  // comes back with backoff. Two minutes are longer than any retry the API server asks for and shorter than a person's
  // patience.
  Duration reconcile_timeout{120'000};
  BackoffPolicy backoff = {};
};

// The services that a controller uses; all outlive it.
struct ControllerEnvironment {
  Transport& transport;
  const PermitSource& permits;
  Watermarks& watermarks;
  EventRecorder& events;
  Executor& executor;
  const Clock& clock;
  Random& random;
  Logger& logger;
  MetricsRegistry& metrics;
  internal::Cancellation* cancellation = nullptr;  // ends blocking calls at shutdown; none: they run to their end
};

// The fate of statuses that a reconciler had kept back.
struct WrittenBack {
  std::size_t written = 0, dropped = 0;
};

// Callable from any thread unless said otherwise. Before start() keys only gather.
class Controller {
 public:
  Controller(std::string name, Reconciler& reconciler, ControllerEnvironment environment, ControllerOptions options);
  // stop().
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  void enqueue(const ObjectKey& key, Priority priority = Priority::News);
  void enqueue_after(const ObjectKey& key, Duration delay);

  // Starts worker threads.
  void start_threads();
  // Works on the executor's own thread, one key at a time: for the simulator, where send() may run others meanwhile.
  void start_on_executor();
  // Takes no more keys; those in work go on.
  void drain();
  // After drain(): waits until no thread works on a key, `limit` of the machine's time at most. True when none does.
  [[nodiscard]] bool drained(Duration limit);
  // drain(), and waits for the keys in work. Not on the executor's thread when workers are threads.
  void stop();
  // After stop(): has the reconciler write the statuses that it keeps back. No write begins after half of `limit` or
  // lasts beyond it.
  [[nodiscard]] WrittenBack write_back(Duration limit);

  [[nodiscard]] const std::string& name() const;
  // The keys in work. A reconcile is stuck when it runs for a minute longer than reconcile_timeout: no request begins
  // after that, so it will not end by itself.
  [[nodiscard]] const RunningWork& running() const;
  [[nodiscard]] WorkQueueCounts queue_counts() const;
  // Reconciles one key if one is ready, on this thread: for tests.
  bool run_one();

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::vector<std::thread> workers_;
};

}  // namespace reprise::runtime
