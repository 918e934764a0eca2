// A thread for work on the volume, which may hang in the kernel for as long as the storage does. The agent's main
// thread never waits for it without a bound: a worker that does not come back is left behind, and its state with it (so
// the work may hold on to nothing but what it shares ownership of).
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace reprise::agent {

class Worker {
 public:
  // Calls `tick` at once, then each time `period` has passed or `kick` was called, until `finish`.
  Worker(std::chrono::milliseconds period, std::function<void()> tick) : state_(std::make_shared<State>()) {
    state_->period = period;
    std::thread([state = state_, work = std::move(tick)] { run(*state, work); }).detach();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { finish(std::chrono::milliseconds(0)); }

  // Has `tick` called again without delay; from any thread.
  void kick() {
    const std::lock_guard lock(state_->mutex);
    state_->kicked = true;
    state_->changed.notify_all();
  }

  // Counts as a kick: the pause that runs was measured by the old period.
  void set_period(std::chrono::milliseconds period) {
    const std::lock_guard lock(state_->mutex);
    state_->period = period;
    state_->kicked = true;
    state_->changed.notify_all();
  }

  // Ends the thread after the tick that runs. Whether it ended in time.
  bool finish(std::chrono::milliseconds patience) {
    std::unique_lock lock(state_->mutex);
    state_->stop = true;
    state_->changed.notify_all();
    return state_->changed.wait_for(lock, patience, [this] { return state_->done; });
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::chrono::milliseconds period{};
    bool kicked = false;
    bool stop = false;
    bool done = false;
  };

  static void run(State& state, const std::function<void()>& work) {
    std::unique_lock lock(state.mutex);
    while (!state.stop) {
      state.kicked = false;
      lock.unlock();
      work();
      lock.lock();
      state.changed.wait_for(lock, state.period, [&] { return state.kicked || state.stop; });
    }
    state.done = true;
    state.changed.notify_all();
  }

  std::shared_ptr<State> state_;
};

// Runs `work` on a thread of its own; whether it ended within `patience`. As above, it may be left behind. False, too,
// where the container may have no more threads: an agent that died of that would take its trainer with it.
inline bool run_bounded(std::chrono::milliseconds patience, std::function<void()> work) {
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  };
  auto state = std::make_shared<State>();
  try {
    std::thread([state, work = std::move(work)] {
      work();
      const std::lock_guard lock(state->mutex);
      state->done = true;
      state->changed.notify_all();
    }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  std::unique_lock lock(state->mutex);
  return state->changed.wait_for(lock, patience, [&] { return state->done; });
}

}  // namespace reprise::agent
