// Feeds one Reconciler from one queue.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/random.h"
#include "runtime/cache/floors.h"
#include "runtime/manager/reconciler.h"
#include "runtime/observe/metrics.h"
#include "runtime/observe/running_work.h"
#include "runtime/queue/work_queue.h"

namespace reprise::runtime {

struct ControllerOptions {
  int max_concurrent = 4;
  Duration reconcile_timeout{120'000};
  BackoffPolicy backoff = {};
};

// What a controller uses; all outlive it.
struct ControllerEnvironment {
  Client& client;
  const PermitSource& permits;
  Floors& floors;
  EventRecorder& events;
  Executor& executor;
  const Clock& clock;
  Random& random;
  Logger& logger;
  MetricsRegistry& metrics;
};

// Callable from any thread unless said otherwise. Before start() keys only gather.
class Controller {
 public:
  Controller(std::string name, Reconciler& reconciler, ControllerEnvironment environment, ControllerOptions options);
  // stop().
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  void enqueue(const ObjectKey& key);
  void enqueue_after(const ObjectKey& key, Duration delay);

  // Starts worker threads.
  void start_threads();
  // Works on the executor's own thread, one key at a time: for the simulator, where send() may run others meanwhile.
  void start_on_executor();
  // Takes no more keys and waits for those in work. Not on the executor's thread when workers are threads.
  void stop();

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
