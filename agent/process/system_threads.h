// The operating system's threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "agent/core/run/worker.h"

namespace reprise::agent {

class SystemWorker final : public Worker {
 public:
  // Calls `tick` at once, then each time `period` has passed or `kick` was called, until `finish`.
  SystemWorker(std::chrono::milliseconds period, std::function<void()> tick) : state_(std::make_shared<State>()) {
    state_->period = period;
    std::thread([state = state_, work = std::move(tick)] { run(*state, work); }).detach();
  }
  SystemWorker(const SystemWorker&) = delete;
  SystemWorker& operator=(const SystemWorker&) = delete;
  ~SystemWorker() override { end(std::chrono::milliseconds(0)); }

  void kick() override {
    const std::lock_guard lock(state_->mutex);
    state_->kicked = true;
    state_->changed.notify_all();
  }

  void set_period(std::chrono::milliseconds period) override {
    const std::lock_guard lock(state_->mutex);
    state_->period = period;
    state_->kicked = true;
    state_->changed.notify_all();
  }

  bool finish(std::chrono::milliseconds timeout) override { return end(timeout); }

 private:
  bool end(std::chrono::milliseconds timeout) {
    std::unique_lock lock(state_->mutex);
    state_->stop = true;
    state_->changed.notify_all();
    return state_->changed.wait_for(lock, timeout, [this] { return state_->done; });
  }
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

// Runs `work` on a thread of its own; whether it ended within `timeout`. As above, it may be left behind. False, too,
// where the container may have no more threads: an agent that died of that would take its trainer with it.
inline bool run_bounded(std::chrono::milliseconds timeout, std::function<void()> work) {
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
  return state->changed.wait_for(lock, timeout, [&] { return state->done; });
}

class SystemExclusion final : public Exclusion {
 public:
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class SystemThreads final : public Threads {
 public:
  [[nodiscard]] std::unique_ptr<Worker> repeat(std::chrono::milliseconds period, std::function<void()> tick) override {
    return std::make_unique<SystemWorker>(period, std::move(tick));
  }
  bool run_bounded(std::chrono::milliseconds timeout, std::function<void()> work) override {
    return agent::run_bounded(timeout, std::move(work));
  }
  [[nodiscard]] std::shared_ptr<Exclusion> make_exclusion() override { return std::make_shared<SystemExclusion>(); }
  void pause(std::chrono::milliseconds time) override { std::this_thread::sleep_for(time); }
};

}  // namespace reprise::agent
