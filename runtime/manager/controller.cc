#include "runtime/manager/controller.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "runtime/manager/internal/exception_boundary.h"
#include "runtime/manager/internal/field_logger.h"
#include "runtime/manager/internal/metrics/reconcile_metrics.h"
#include "runtime/manager/internal/own_writes.h"
#include "runtime/manager/internal/reconcile_context.h"
#include "runtime/manager/internal/write_back.h"

namespace reprise::runtime {
namespace {

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
        queue(name, environment.executor, environment.clock, environment.metrics, options.backoff),
        own_writes(environment.watermarks) {}

  void work(const ObjectKey& key) {
    const Instant deadline = environment.clock.steady() + options.reconcile_timeout;
    FieldLogger logger(environment.logger, name, key, random_id(environment.random));
    ApiReconcileContext context(environment, logger, deadline, name + ":" + to_string(key));
    if (auto known = own_writes.resolve(key, context.client()); !known) {
      settle(key, known.error(), logger);
    } else if (!caught_up(key)) {
      metrics.stale_skips.add();
    } else {
      reconcile(key, context);
    }
    queue.done(key);
  }

  [[nodiscard]] bool caught_up(const ObjectKey& key) {
    return own_writes.caught_up(key, [weak = weak_from_this(), key, priority = queue.priority_of(key)] {
      const auto state = weak.lock();
      if (!state) return;
      state->own_writes.woken(key);
      state->queue.add(key, priority);
    });
  }

  void reconcile(const ObjectKey& key, ApiReconcileContext& context) {
    const Instant begin = environment.clock.steady();
    const auto mark = running.begin(to_string(key));
    metrics.active.add(1);
    const Result<Next> result = call(context, key);
    metrics.active.add(-1);
    const Instant end = environment.clock.steady();
    metrics.seconds.observe(std::chrono::duration<double>(end - begin).count());
    if (end >= context.deadline()) metrics.timeouts.add();
    if (context.wrote()) {
      own_writes.remember(key, context.owner(), context.take_unanswered());
    } else {
      own_writes.forget(key);
    }
    if (result) {
      settle(key, *result, context.logger());
    } else {
      settle(key, result.error(), context.logger());
    }
  }

  [[nodiscard]] Result<Next> call(ReconcileContext& context, const ObjectKey& key) {
    return internal::without_exceptions([&] { return reconciler.reconcile(context, key); },
                                        [this] { metrics.panics.add(); });
  }

  void settle(const ObjectKey& key, const Next& next, Logger& logger) {
    if (next.error) {
      settle(key, *next.error, logger);
      // A process that does not work on keys any more keeps none.
      const bool ours =
          next.error->error_class != ErrorClass::NoPermit && next.error->error_class != ErrorClass::Cancelled;
      if (next.after && ours) queue.add_after(key, *next.after);
      return;
    }
    queue.forget(key);
    if (next.underway) queue.raise_next(key, Priority::Underway);
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
        metrics.fenced.add();
        // The permit at hand has ended, or the leadership: only then is the key for another process.
        if (!environment.permits.permit()) return;
        metrics.requeue.add();
        queue.add_rate_limited(key);
        return;
      case ErrorClass::Cancelled:
        return;
      case ErrorClass::Conflict:
        // Not a fault: someone else wrote. Usually the cache shows it before the backoff ends.
        metrics.requeue.add();
        logger.debug("Reconcile hit a conflict; requeuing", {{"error", error.message}});
        queue.add_rate_limited(key);
        return;
      case ErrorClass::Terminal:
        metrics.error.add();
        metrics.errors.add();
        metrics.terminal.add();
        logger.error("Reconciler error; waiting for a change",
                     {{"class", std::string(runtime::name(error.error_class))}, {"error", error.message}});
        queue.forget(key);
        return;
      case ErrorClass::NotFound:
      case ErrorClass::AlreadyExists:
      case ErrorClass::Invalid:
      case ErrorClass::Forbidden:
      case ErrorClass::Unauthorized:
      case ErrorClass::Expired:
      case ErrorClass::Throttled:
      case ErrorClass::Unavailable:
        metrics.error.add();
        metrics.errors.add();
        logger.warning("Reconciler error; requeuing",
                       {{"class", std::string(runtime::name(error.error_class))}, {"error", error.message}});
        queue.add_rate_limited(key, std::min(error.retry_after.value_or(Duration{0}), options.backoff.cap));
        return;
    }
  }

  void work_until_drained() {
    while (const auto key = queue.get()) work(*key);
    const std::lock_guard lock(mutex);
    --workers;
    ended.notify_all();
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
  internal::ReconcileMetrics metrics;
  RunningWork running;
  WorkQueue queue;
  internal::OwnWrites own_writes;
  std::atomic<bool> stopped{false};
  bool busy = false;
  std::mutex mutex;
  std::condition_variable ended;
  int workers = 0;  // threads that have not ended
};

Controller::Controller(std::string name, Reconciler& reconciler, ControllerEnvironment environment,
                       ControllerOptions options)
    : state_(std::make_shared<State>(std::move(name), reconciler, environment, options)) {}

Controller::~Controller() {
  stop();
}

void Controller::enqueue(const ObjectKey& key, Priority priority) {
  state_->queue.add(key, priority);
}

void Controller::enqueue_after(const ObjectKey& key, Duration delay) {
  state_->queue.add_after(key, delay);
}

void Controller::start_threads() {
  const std::lock_guard lock(state_->mutex);
  for (; state_->workers < state_->options.max_concurrent; ++state_->workers) {
    workers_.emplace_back([state = state_] { state->work_until_drained(); });
  }
}

void Controller::start_on_executor() {
  state_->queue.on_ready([weak = std::weak_ptr(state_)] {
    if (const auto state = weak.lock()) state->post_pump();
  });
  state_->post_pump();
}

void Controller::drain() {
  state_->stopped = true;
  state_->queue.shut_down();
}

bool Controller::drained(Duration limit) {
  std::unique_lock lock(state_->mutex);
  return state_->ended.wait_for(lock, limit, [this] { return state_->workers == 0; });
}

void Controller::stop() {
  drain();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

WrittenBack Controller::write_back(Duration limit) {
  return internal::write_back(state_->name, state_->reconciler, state_->environment, state_->options.max_concurrent,
                              limit);
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
