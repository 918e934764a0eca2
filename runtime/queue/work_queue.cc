#include "runtime/queue/work_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace reprise::runtime {

struct WorkQueue::Metrics {
  Metrics(MetricsRegistry& registry, const std::string& name)
      : depth(registry.gauge("workqueue_depth", "Current depth of workqueue.", labels(name))),
        adds(registry.counter("workqueue_adds_total", "Total number of adds handled by workqueue.", labels(name))),
        retries(
            registry.counter("workqueue_retries_total", "Total number of retries handled by workqueue.", labels(name))),
        queued(registry.histogram("workqueue_queue_duration_seconds",
                                  "How long in seconds an item stays in workqueue before being requested.",
                                  labels(name))),
        worked(registry.histogram("workqueue_work_duration_seconds",
                                  "How long in seconds processing an item from workqueue takes.", labels(name))) {}
  static Labels labels(const std::string& name) { return {{"controller", name}, {"name", name}}; }

  Gauge& depth;
  Counter& adds;
  Counter& retries;
  Histogram& queued;
  Histogram& worked;
};

struct WorkQueue::State : std::enable_shared_from_this<State> {
  struct Delay {
    Instant due;
    std::unique_ptr<Timer> timer;
  };

  State(const std::string& queue_name, Executor& queue_executor, const Clock& queue_clock, MetricsRegistry& registry,
        BackoffPolicy policy)
      : executor(queue_executor), clock(queue_clock), backoff(policy), metrics(registry, queue_name) {}

  // Returns true when a key became ready. The lock is held.
  bool add_locked(const ObjectKey& key) {
    if (shut) return false;
    delays.erase(key);
    if (!dirty.insert(key).second) return false;
    metrics.adds.add();
    added_at[key] = clock.steady();
    if (processing.contains(key)) return false;
    ready.push_back(key);
    metrics.depth.set(static_cast<double>(ready.size()));
    return true;
  }

  void add(const ObjectKey& key) {
    std::function<void()> told;
    {
      const std::lock_guard lock(mutex);
      if (!add_locked(key)) return;
      told = hook;
    }
    available.notify_one();
    if (told) told();
  }

  void add_after(const ObjectKey& key, Duration delay) {
    if (delay <= Duration{0}) return add(key);
    const Instant due = clock.steady() + delay;
    {
      const std::lock_guard lock(mutex);
      if (shut || (dirty.contains(key) && !processing.contains(key))) return;
      const auto found = delays.find(key);
      if (found != delays.end() && found->second.due <= due) return;
    }
    auto timer = executor.after(delay, [weak = weak_from_this(), key, due] {
      const auto state = weak.lock();
      if (state) state->expire(key, due);
    });
    std::unique_ptr<Timer> replaced;
    const std::lock_guard lock(mutex);
    Delay& entry = delays[key];
    if (shut || (entry.timer && entry.due <= due)) return;
    replaced = std::exchange(entry.timer, std::move(timer));
    entry.due = due;
  }

  void expire(const ObjectKey& key, Instant due) {
    {
      const std::lock_guard lock(mutex);
      const auto found = delays.find(key);
      if (found == delays.end() || found->second.due != due) return;
    }
    add(key);
  }

  std::optional<ObjectKey> take_locked() {
    if (ready.empty()) return std::nullopt;
    ObjectKey key = std::move(ready.front());
    ready.pop_front();
    metrics.depth.set(static_cast<double>(ready.size()));
    dirty.erase(key);
    processing.insert(key);
    const Instant now = clock.steady();
    if (const auto added = added_at.find(key); added != added_at.end()) {
      metrics.queued.observe(std::chrono::duration<double>(now - added->second).count());
      added_at.erase(added);
    }
    started_at[key] = now;
    return key;
  }

  Executor& executor;
  const Clock& clock;
  BackoffPolicy backoff;
  Metrics metrics;
  mutable std::mutex mutex;
  std::condition_variable available;
  std::function<void()> hook;
  bool shut = false;
  std::deque<ObjectKey> ready;
  std::unordered_set<ObjectKey> dirty, processing;
  std::unordered_map<ObjectKey, Instant> added_at, started_at;
  std::unordered_map<ObjectKey, Delay> delays;
  std::unordered_map<ObjectKey, int> failures;
};

WorkQueue::WorkQueue(std::string name, Executor& executor, const Clock& clock, MetricsRegistry& metrics,
                     BackoffPolicy backoff)
    : state_(std::make_shared<State>(name, executor, clock, metrics, backoff)) {
  const std::weak_ptr<State> weak = state_;
  const auto oldest = [weak](bool sum) {
    const auto state = weak.lock();
    if (!state) return 0.0;
    const std::lock_guard lock(state->mutex);
    double total = 0, longest = 0;
    for (const auto& [key, begun] : state->started_at) {
      const double seconds = std::chrono::duration<double>(state->clock.steady() - begun).count();
      total += seconds;
      longest = std::max(longest, seconds);
    }
    return sum ? total : longest;
  };
  metrics.gauge_of("workqueue_unfinished_work_seconds",
                   "How many seconds of work has been done that is in progress and has not been observed by "
                   "work_duration.",
                   Metrics::labels(name), [oldest] { return oldest(true); });
  metrics.gauge_of("workqueue_longest_running_processor_seconds",
                   "How many seconds has the longest running processor for workqueue been running.",
                   Metrics::labels(name), [oldest] { return oldest(false); });
}

WorkQueue::~WorkQueue() {
  shut_down();
}

void WorkQueue::add(const ObjectKey& key) {
  state_->add(key);
}

void WorkQueue::add_after(const ObjectKey& key, Duration delay) {
  state_->add_after(key, delay);
}

void WorkQueue::add_rate_limited(const ObjectKey& key, Duration at_least) {
  Duration delay{0};
  {
    const std::lock_guard lock(state_->mutex);
    const int failures = state_->failures[key]++;
    delay = failures >= 32 ? state_->backoff.cap
                           : std::min(state_->backoff.cap, state_->backoff.first * (std::int64_t{1} << failures));
    state_->metrics.retries.add();
  }
  state_->add_after(key, std::max(delay, at_least));
}

void WorkQueue::forget(const ObjectKey& key) {
  const std::lock_guard lock(state_->mutex);
  state_->failures.erase(key);
}

std::optional<ObjectKey> WorkQueue::get() {
  std::unique_lock lock(state_->mutex);
  state_->available.wait(lock, [this] { return state_->shut || !state_->ready.empty(); });
  if (state_->shut) return std::nullopt;
  return state_->take_locked();
}

std::optional<ObjectKey> WorkQueue::try_get() {
  const std::lock_guard lock(state_->mutex);
  if (state_->shut) return std::nullopt;
  return state_->take_locked();
}

void WorkQueue::done(const ObjectKey& key) {
  std::function<void()> told;
  {
    const std::lock_guard lock(state_->mutex);
    if (const auto begun = state_->started_at.find(key); begun != state_->started_at.end()) {
      state_->metrics.worked.observe(std::chrono::duration<double>(state_->clock.steady() - begun->second).count());
      state_->started_at.erase(begun);
    }
    state_->processing.erase(key);
    if (!state_->dirty.contains(key) || state_->shut) return;
    state_->ready.push_back(key);
    state_->metrics.depth.set(static_cast<double>(state_->ready.size()));
    told = state_->hook;
  }
  state_->available.notify_one();
  if (told) told();
}

void WorkQueue::shut_down() {
  std::unordered_map<ObjectKey, State::Delay> delays;
  {
    const std::lock_guard lock(state_->mutex);
    state_->shut = true;
    state_->ready.clear();
    state_->dirty.clear();
    state_->metrics.depth.set(0);
    delays = std::exchange(state_->delays, {});
  }
  state_->available.notify_all();
}

std::size_t WorkQueue::depth() const {
  const std::lock_guard lock(state_->mutex);
  return state_->ready.size();
}

WorkQueueCounts WorkQueue::counts() const {
  const std::lock_guard lock(state_->mutex);
  WorkQueueCounts counts{.ready = state_->ready.size(),
                         .working = state_->processing.size(),
                         .delayed = state_->delays.size(),
                         .failing = state_->failures.size()};
  for (const auto& [key, failures] : state_->failures) counts.most_failures = std::max(counts.most_failures, failures);
  return counts;
}

void WorkQueue::on_ready(std::function<void()> hook) {
  const std::lock_guard lock(state_->mutex);
  state_->hook = std::move(hook);
}

}  // namespace reprise::runtime
