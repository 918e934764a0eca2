#include "simulator/actors/agent/agent_threads.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace reprise::simulator {

struct AgentThreads::Repeated {
  Duration period{0};
  std::function<void()> tick;
  bool kicked = false, stop = false, done = false;
  Fibers::Id fiber = 0, waiter = 0;
};

class AgentThreads::FiberWorker final : public agent::Worker {
 public:
  FiberWorker(EventLoop& loop, Fibers& fibers, std::shared_ptr<Repeated> repeated)
      : loop_(loop), fibers_(fibers), repeated_(std::move(repeated)) {}
  FiberWorker(const FiberWorker&) = delete;
  FiberWorker& operator=(const FiberWorker&) = delete;
  ~FiberWorker() override {
    repeated_->stop = true;
    fibers_.wake(repeated_->fiber);
  }
  void kick() override {
    repeated_->kicked = true;
    fibers_.wake(repeated_->fiber);
  }
  void set_period(std::chrono::milliseconds period) override {
    repeated_->period = period;
    kick();
  }
  bool finish(std::chrono::milliseconds timeout) override {
    repeated_->stop = true;
    fibers_.wake(repeated_->fiber);
    repeated_->waiter = fibers_.running();
    const Duration until = loop_.now() + timeout;
    while (!repeated_->done && loop_.now() < until) fibers_.park(until);
    return repeated_->done;
  }

 private:
  EventLoop& loop_;
  Fibers& fibers_;
  std::shared_ptr<Repeated> repeated_;
};

class AgentThreads::FiberExclusion final : public agent::Exclusion {
 public:
  explicit FiberExclusion(Fibers& fibers) : fibers_(fibers) {}
  void lock() override {
    while (held_ && !fibers_.over()) {
      waiting_.push_back(fibers_.running());
      fibers_.park();
    }
    held_ = true;
  }
  void unlock() override {
    held_ = false;
    for (const Fibers::Id each : std::exchange(waiting_, {})) fibers_.wake(each);
  }

 private:
  Fibers& fibers_;
  bool held_ = false;
  std::deque<Fibers::Id> waiting_;
};

std::unique_ptr<agent::Worker> AgentThreads::repeat(std::chrono::milliseconds period, std::function<void()> tick) {
  auto repeated = std::make_shared<Repeated>();
  repeated->period = period;
  repeated->tick = std::move(tick);
  repeated->fiber = fibers_.start([this, repeated] { run(*repeated); });
  return std::make_unique<FiberWorker>(loop_, fibers_, std::move(repeated));
}

void AgentThreads::run(Repeated& repeated) {
  while (!repeated.stop) {
    repeated.kicked = false;
    const auto acts = acts_, changes = changes_;
    repeated.tick();
    const Duration ended = loop_.now();
    bool quiet = acts == acts_ && changes == changes_;
    const auto is_due = [&] { return repeated.kicked || repeated.stop; };
    while (!is_due() && quiet) {
      quiet_.insert(repeated.fiber);
      fibers_.park();
      quiet_.erase(repeated.fiber);
      quiet = changes == changes_;
    }
    const auto periods =
        std::max<Duration::rep>((loop_.now() - ended + repeated.period - Duration{1}) / repeated.period, 1);
    const Duration until = ended + repeated.period * periods;
    while (!is_due() && loop_.now() < until) fibers_.park(until);
  }
  repeated.done = true;
  if (repeated.waiter != 0) fibers_.wake(repeated.waiter);
}

bool AgentThreads::run_bounded(std::chrono::milliseconds timeout, std::function<void()> work) {
  auto done = std::make_shared<bool>(false);
  const Fibers::Id waiter = fibers_.running();
  fibers_.start([this, done, waiter, does = std::move(work)] {
    does();
    *done = true;
    fibers_.wake(waiter);
  });
  const Duration until = loop_.now() + timeout;
  while (!*done && loop_.now() < until && !fibers_.over()) fibers_.park(until);
  return *done;
}

void AgentThreads::pause(std::chrono::milliseconds time) {
  const Duration until = loop_.now() + time;
  while (!fibers_.over() && loop_.now() < until) fibers_.park(until);
}

std::shared_ptr<agent::Exclusion> AgentThreads::make_exclusion() {
  return std::make_shared<FiberExclusion>(fibers_);
}

void AgentThreads::changed() {
  ++changes_;
  for (const Fibers::Id each : quiet_) fibers_.wake(each);
}

}  // namespace reprise::simulator
