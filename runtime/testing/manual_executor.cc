#include "runtime/testing/manual_executor.h"

#include <algorithm>

namespace reprise::runtime::testing {

struct ManualExecutor::State {
  using Key = std::pair<Instant, std::uint64_t>;

  explicit State(VirtualClock& virtual_clock) : clock(virtual_clock) {}

  void cancel(const Key& key) {
    const std::lock_guard lock(mutex);
    timers.erase(key);
  }

  VirtualClock& clock;
  std::mutex mutex;
  std::deque<std::function<void()>> posted;
  std::map<Key, std::function<void()>> timers;
  std::uint64_t next_id = 0;
};

namespace {

template <class State>
class ManualTimer final : public Timer {
 public:
  ManualTimer(std::shared_ptr<State> state, typename State::Key key) : state_(std::move(state)), key_(key) {}
  ~ManualTimer() override { state_->cancel(key_); }

 private:
  std::shared_ptr<State> state_;
  typename State::Key key_;
};

}  // namespace

ManualExecutor::ManualExecutor(VirtualClock& clock) : state_(std::make_shared<State>(clock)) {}

// Work may hold what holds this executor's state: let go of it outside the lock.
ManualExecutor::~ManualExecutor() {
  std::deque<std::function<void()>> posted;
  std::map<State::Key, std::function<void()>> timers;
  {
    const std::lock_guard lock(state_->mutex);
    posted.swap(state_->posted);
    timers.swap(state_->timers);
  }
}

void ManualExecutor::post(std::function<void()> work) {
  const std::lock_guard lock(state_->mutex);
  state_->posted.push_back(std::move(work));
}

std::unique_ptr<Timer> ManualExecutor::after(Duration delay, std::function<void()> work) {
  const std::lock_guard lock(state_->mutex);
  const State::Key key{state_->clock.steady() + std::max(delay, Duration{0}), state_->next_id++};
  state_->timers.emplace(key, std::move(work));
  return std::make_unique<ManualTimer<State>>(state_, key);
}

void ManualExecutor::settle() {
  while (true) {
    std::function<void()> work;
    {
      const std::lock_guard lock(state_->mutex);
      if (!state_->posted.empty()) {
        work = std::move(state_->posted.front());
        state_->posted.pop_front();
      } else if (!state_->timers.empty() && state_->timers.begin()->first.first <= state_->clock.steady()) {
        work = std::move(state_->timers.begin()->second);
        state_->timers.erase(state_->timers.begin());
      } else {
        return;
      }
    }
    work();
  }
}

void ManualExecutor::advance(Duration by) {
  const Instant end = state_->clock.steady() + by;
  settle();
  while (true) {
    const auto due = next_timer();
    if (!due || *due > end) break;
    state_->clock.advance(std::chrono::ceil<Duration>(*due - state_->clock.steady()));
    settle();
  }
  state_->clock.advance(std::chrono::ceil<Duration>(end - state_->clock.steady()));
  settle();
}

std::optional<Instant> ManualExecutor::next_timer() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->timers.empty()) return std::nullopt;
  return state_->timers.begin()->first.first;
}

}  // namespace reprise::runtime::testing
