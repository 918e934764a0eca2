#include "runtime/manager/controller.h"

#include <array>
#include <charconv>
#include <exception>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "runtime/manager/reconcile_context.h"

namespace reprise::runtime {
namespace {

struct ReconcileMetrics {
  ReconcileMetrics(MetricsRegistry& metrics, const std::string& name, int max_concurrent)
      : success(total(metrics, name, "success")),
        requeue(total(metrics, name, "requeue")),
        requeue_after(total(metrics, name, "requeue_after")),
        error(total(metrics, name, "error")),
        errors(metrics.counter("controller_runtime_reconcile_errors_total",
                               "Total number of reconciliation errors per controller", {{"controller", name}})),
        terminal(metrics.counter("controller_runtime_terminal_reconcile_errors_total",
                                 "Total number of terminal reconciliation errors per controller",
                                 {{"controller", name}})),
        panics(metrics.counter("controller_runtime_reconcile_panics_total",
                               "Total number of reconciliation panics per controller", {{"controller", name}})),
        timeouts(metrics.counter("controller_runtime_reconcile_timeouts_total",
                                 "Total number of reconciliation timeouts per controller", {{"controller", name}})),
        stale_skips(metrics.counter("stale_sync_skips_total",
                                    "Reconciles put off because a cache had not caught up with an own write",
                                    {{"controller", name}})),
        active(metrics.gauge("controller_runtime_active_workers", "Number of currently used workers per controller",
                             {{"controller", name}})),
        seconds(metrics.histogram("controller_runtime_reconcile_time_seconds",
                                  "Length of time per reconciliation per controller", {{"controller", name}})) {
    metrics
        .gauge("controller_runtime_max_concurrent_reconciles", "Maximum number of concurrent reconciles per controller",
               {{"controller", name}})
        .set(max_concurrent);
  }
  static Counter& total(MetricsRegistry& metrics, const std::string& name, const std::string& result) {
    return metrics.counter("controller_runtime_reconcile_total", "Total number of reconciliations per controller",
                           {{"controller", name}, {"result", result}});
  }

  Counter &success, &requeue, &requeue_after, &error;
  Counter &errors, &terminal, &panics, &timeouts, &stale_skips;
  Gauge& active;
  Histogram& seconds;
};

constexpr Duration stuck_after{60'000};

std::string random_id(Random& random) {
  std::array<char, 16> digits{};
  const auto value = static_cast<std::uint64_t>(random.uniform() * 9007199254740992.0);
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return std::string(digits.data(), end.ptr);
}

}  // namespace

struct Controller::State : std::enable_shared_from_this<Controller::State> {
  State(std::string controller_name, Reconciler& controller_reconciler, ControllerEnvironment outside,
        ControllerOptions controller_options)
      : name(std::move(controller_name)),
        reconciler(controller_reconciler),
        environment(outside),
        options(controller_options),
        metrics(environment.metrics, name, options.max_concurrent),
        running(environment.clock, options.reconcile_timeout + stuck_after),
        queue(name, environment.executor, environment.clock, environment.metrics, options.backoff) {}

  // The uid (or its stand-in) under which the key's own writes were remembered.
  [[nodiscard]] std::string owner_of(const ObjectKey& key) {
    const std::lock_guard lock(mutex);
    const auto found = owners.find(key);
    return found == owners.end() ? name + ":" + to_string(key) : found->second;
  }

  void work(const ObjectKey& key) {
    const std::string owner = owner_of(key);
    const bool caught_up = environment.floors.ready_or_wake(owner, [weak = weak_from_this(), key] {
      if (const auto state = weak.lock()) state->queue.add(key);
    });
    if (caught_up) {
      reconcile(key);
    } else {
      metrics.stale_skips.add();
    }
    queue.done(key);
  }

  void reconcile(const ObjectKey& key) {
    const Instant begin = environment.clock.steady();
    const Instant deadline = begin + options.reconcile_timeout;
    const auto mark = running.begin(to_string(key));
    FieldLogger logger(environment.logger, name, key, random_id(environment.random));
    ApiReconcileContext context(environment, logger, deadline, name + ":" + to_string(key));
    metrics.active.add(1);
    const Result<Next> result = call(context, key);
    metrics.active.add(-1);
    const Instant end = environment.clock.steady();
    metrics.seconds.observe(std::chrono::duration<double>(end - begin).count());
    if (end > deadline) metrics.timeouts.add();
    {
      const std::lock_guard lock(mutex);
      if (context.wrote())
        owners[key] = context.owner();
      else
        owners.erase(key);
    }
    if (result) {
      settle(key, *result);
    } else {
      settle(key, result.error(), logger);
    }
  }

  // The boundary for exceptions: whatever a reconciler or a library throws becomes an error of this key.
  [[nodiscard]] Result<Next> call(ReconcileContext& context, const ObjectKey& key) {
    try {
      return reconciler.reconcile(context, key);
    } catch (const std::exception& thrown) {
      metrics.panics.add();
      return fail(ErrorClass::Unavailable, std::string("the reconciler threw: ") + thrown.what());
    } catch (...) {
      metrics.panics.add();
      return fail(ErrorClass::Unavailable, "the reconciler threw what is no exception");
    }
  }

  void settle(const ObjectKey& key, const Next& next) {
    queue.forget(key);
    if (next.after) {
      metrics.requeue_after.add();
      queue.add_after(key, *next.after);
    } else {
      metrics.success.add();
    }
  }

  void settle(const ObjectKey& key, const Error& error, Logger& logger) {
    switch (error.error_class) {
      case ErrorClass::NoPermit:
      case ErrorClass::Cancelled:
        return;
      case ErrorClass::Conflict:
        // Not a fault: someone else wrote. Usually the cache shows it before the backoff ends.
        metrics.requeue.add();
        logger.debug("Reconcile met a conflict", {{"error", error.message}});
        queue.add_rate_limited(key);
        return;
      case ErrorClass::Terminal:
      case ErrorClass::Invalid:
        metrics.error.add();
        metrics.errors.add();
        metrics.terminal.add();
        logger.error("Reconcile failed and waits for a change",
                     {{"class", std::string(runtime::name(error.error_class))}, {"error", error.message}});
        queue.forget(key);
        return;
      case ErrorClass::NotFound:
      case ErrorClass::AlreadyExists:
      case ErrorClass::Forbidden:
      case ErrorClass::Unauthorized:
      case ErrorClass::Expired:
      case ErrorClass::Throttled:
      case ErrorClass::Unavailable:
        metrics.error.add();
        metrics.errors.add();
        logger.warning("Reconcile failed and will be tried again",
                       {{"class", std::string(runtime::name(error.error_class))}, {"error", error.message}});
        queue.add_rate_limited(key, error.retry_after.value_or(Duration{0}));
        return;
    }
  }

  bool run_one() {
    const auto key = queue.try_get();
    if (!key) return false;
    work(*key);
    return true;
  }

  // A reconcile on the executor may run other work meanwhile: it must not start a second one.
  void pump() {
    if (stopped || busy) return;
    busy = true;
    run_one();
    busy = false;
    if (queue.depth() > 0) post_pump();
  }

  void post_pump() {
    environment.executor.post([weak = weak_from_this()] {
      if (const auto state = weak.lock()) state->pump();
    });
  }

  std::string name;
  Reconciler& reconciler;
  ControllerEnvironment environment;
  ControllerOptions options;
  ReconcileMetrics metrics;
  RunningWork running;
  WorkQueue queue;
  std::mutex mutex;
  std::unordered_map<ObjectKey, std::string> owners;  // of keys whose last reconcile wrote
  std::atomic<bool> stopped{false};
  bool busy = false;
};

Controller::Controller(std::string name, Reconciler& reconciler, ControllerEnvironment environment,
                       ControllerOptions options)
    : state_(std::make_shared<State>(std::move(name), reconciler, environment, options)) {}

Controller::~Controller() {
  stop();
}

void Controller::enqueue(const ObjectKey& key) {
  state_->queue.add(key);
}

void Controller::enqueue_after(const ObjectKey& key, Duration delay) {
  state_->queue.add_after(key, delay);
}

void Controller::start_threads() {
  for (int i = 0; i < state_->options.max_concurrent; ++i) {
    workers_.emplace_back([state = state_] {
      while (const auto key = state->queue.get()) state->work(*key);
    });
  }
}

void Controller::start_on_executor() {
  state_->queue.on_ready([weak = std::weak_ptr(state_)] {
    if (const auto state = weak.lock()) state->post_pump();
  });
  state_->post_pump();
}

void Controller::stop() {
  state_->stopped = true;
  state_->queue.shut_down();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

const std::string& Controller::name() const {
  return state_->name;
}

const RunningWork& Controller::running() const {
  return state_->running;
}

WorkQueueCounts Controller::queue_counts() const {
  return state_->queue.counts();
}

bool Controller::run_one() {
  return state_->run_one();
}

}  // namespace reprise::runtime
