#include "runtime/queue/work_queue.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "runtime/queue/internal/key_states.h"
#include "runtime/queue/internal/queue_metrics.h"

namespace reprise::runtime {
namespace {

double seconds(Instant from, Instant to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

struct WorkQueue::State : std::enable_shared_from_this<State> {
  State(const std::string& name, Executor& queue_executor, const Clock& queue_clock, MetricsRegistry& registry,
        BackoffPolicy backoff)
      : executor(queue_executor), clock(queue_clock), metrics(registry, name), keys(backoff) {}

  // Call it without the lock, after `ready` keys could be taken that could not before.
  void announce(std::size_t ready) {
    for (std::size_t i = 0; i < ready; ++i) {
      available.notify_one();
      if (hook) (*hook)();
    }
  }

  void add(const ObjectKey& key, Priority priority) {
    internal::Added added{};
    {
      const std::lock_guard lock(mutex);
      if (shut) return;
      added = keys.add(key, priority, clock.steady());
      if (added != internal::Added::Already) metrics.adds.add();
      metrics.show_depth(keys);
    }
    if (added == internal::Added::Ready) announce(1);
  }

  void add_after(const ObjectKey& key, Duration delay, Priority priority) {
    if (delay <= Duration{0}) return add(key, priority);
    std::unique_ptr<Timer> replaced;
    const std::lock_guard lock(mutex);
    if (shut) return;
    keys.add_at(key, priority, clock.steady() + delay);
    metrics.show_depth(keys);
    replaced = arm();
  }

  // One timer for the earliest delay. Returns the one before, to be let go of.
  std::unique_ptr<Timer> arm() {
    const auto due = keys.next_due();
    if (!due || (timer && armed <= *due)) return nullptr;
    armed = *due;
    const auto delay = std::chrono::ceil<Duration>(std::max(*due - clock.steady(), Instant::duration{0}));
    return std::exchange(timer, executor.after(delay, [weak = weak_from_this()] {
      if (const auto state = weak.lock()) state->wake();
    }));
  }

  void wake() {
    std::unique_ptr<Timer> rung;
    internal::KeyStates::Woken woken;
    {
      const std::lock_guard lock(mutex);
      if (shut) return;
      rung = std::exchange(timer, nullptr);
      woken = keys.wake(clock.steady());
      metrics.adds.add(static_cast<double>(woken.added));
      metrics.show_depth(keys);
      (void)arm();
    }
    announce(woken.ready);
  }

  std::optional<ObjectKey> take() {
    const Instant now = clock.steady();
    const auto taken = keys.take(now);
    if (!taken) return std::nullopt;
    metrics.queued.observe(seconds(taken->added, now));
    metrics.show_depth(keys);
    return taken->key;
  }

  // Returns the time that keys have been in work: the sum and the longest.
  [[nodiscard]] std::pair<double, double> in_work() const {
    const std::lock_guard lock(mutex);
    double sum = 0, longest = 0;
    for (const Instant since : keys.in_work()) {
      const double age = seconds(since, clock.steady());
      sum += age;
      longest = std::max(longest, age);
    }
    return {sum, longest};
  }

  Executor& executor;
  const Clock& clock;
  internal::QueueMetrics metrics;
  std::unique_ptr<std::function<void()>> hook;  // never changes once keys come
  mutable std::mutex mutex;
  std::condition_variable available;
  bool shut = false;
  internal::KeyStates keys;
  std::unique_ptr<Timer> timer;
  Instant armed{};  // when `timer` rings
};

WorkQueue::WorkQueue(std::string name, Executor& executor, const Clock& clock, MetricsRegistry& metrics,
                     BackoffPolicy backoff)
    : state_(std::make_shared<State>(name, executor, clock, metrics, backoff)) {
  const std::weak_ptr<State> weak = state_;
  const auto in_work = [weak] {
    const auto state = weak.lock();
    return state ? state->in_work() : std::pair{0.0, 0.0};
  };
  metrics.gauge_of("workqueue_unfinished_work_seconds",
                   "How many seconds of work has been done that is in progress and has not been observed by "
                   "work_duration.",
                   internal::QueueMetrics::labels(name), [in_work] { return in_work().first; });
  metrics.gauge_of("workqueue_longest_running_processor_seconds",
                   "How many seconds has the longest running processor for workqueue been running.",
                   internal::QueueMetrics::labels(name), [in_work] { return in_work().second; });
}

WorkQueue::~WorkQueue() {
  shut_down();
}

void WorkQueue::add(const ObjectKey& key, Priority priority) {
  state_->add(key, priority);
}

void WorkQueue::add_after(const ObjectKey& key, Duration delay, Priority priority) {
  state_->add_after(key, delay, priority);
}

void WorkQueue::raise_next(const ObjectKey& key, Priority priority) {
  const std::lock_guard lock(state_->mutex);
  if (state_->shut) return;
  state_->keys.raise_next(key, priority);
  state_->metrics.show_depth(state_->keys);
}

void WorkQueue::add_rate_limited(const ObjectKey& key, Duration at_least) {
  Duration delay{0};
  Priority priority{};
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->shut) return;
    priority = std::min(state_->keys.priority_in_work(key), Priority::News);
    delay = state_->keys.next_backoff(key);
    state_->metrics.retries.add();
  }
  state_->add_after(key, std::max(delay, at_least), priority);
}

void WorkQueue::forget(const ObjectKey& key) {
  const std::lock_guard lock(state_->mutex);
  state_->keys.forget(key);
}

std::optional<ObjectKey> WorkQueue::get() {
  std::unique_lock lock(state_->mutex);
  state_->available.wait(lock, [this] { return state_->shut || state_->keys.ready() > 0; });
  return state_->take();
}

std::optional<ObjectKey> WorkQueue::try_get() {
  const std::lock_guard lock(state_->mutex);
  return state_->take();
}

Priority WorkQueue::priority_of(const ObjectKey& key) const {
  const std::lock_guard lock(state_->mutex);
  return state_->keys.priority_in_work(key);
}

void WorkQueue::done(const ObjectKey& key) {
  {
    const std::lock_guard lock(state_->mutex);
    const auto done = state_->keys.done(key);
    if (!done) return;
    state_->metrics.worked.observe(seconds(done->taken, state_->clock.steady()));
    if (!done->ready) return;
    state_->metrics.show_depth(state_->keys);
  }
  state_->announce(1);
}

void WorkQueue::shut_down() {
  std::unique_ptr<Timer> timer;
  {
    const std::lock_guard lock(state_->mutex);
    state_->shut = true;
    state_->keys.drop_waiting();
    state_->metrics.show_depth(state_->keys);
    timer = std::exchange(state_->timer, nullptr);
  }
  state_->available.notify_all();
}

std::size_t WorkQueue::depth() const {
  const std::lock_guard lock(state_->mutex);
  return state_->keys.ready();
}

WorkQueueCounts WorkQueue::counts() const {
  const std::lock_guard lock(state_->mutex);
  const internal::KeyStates& keys = state_->keys;
  const auto failing = keys.failing();
  return {.ready = keys.ready(),
          .working = keys.in_work().size(),
          .delayed = keys.delayed(),
          .failing = failing.keys,
          .most_failures = failing.most};
}

void WorkQueue::on_ready(std::function<void()> hook) {
  state_->hook = std::make_unique<std::function<void()>>(std::move(hook));
}

}  // namespace reprise::runtime
