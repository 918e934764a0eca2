// The agent's threads on fibers. A worker whose last call has changed nothing, waited for nothing and asked nobody for
// the time would do the same again: it is left out until something changes, and then runs when its period would have
// had it run.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include "agent/core/run/worker.h"
#include "simulator/actors/agent/fibers.h"

namespace reprise::simulator {

class AgentThreads final : public agent::Threads {
 public:
  AgentThreads(EventLoop& loop, Fibers& fibers) : loop_(loop), fibers_(fibers) {}

  [[nodiscard]] std::unique_ptr<agent::Worker> repeat(std::chrono::milliseconds period,
                                                      std::function<void()> tick) override;
  bool run_bounded(std::chrono::milliseconds timeout, std::function<void()> work) override;
  [[nodiscard]] std::shared_ptr<agent::Exclusion> make_exclusion() override;
  void pause(std::chrono::milliseconds time) override;

  // The running fiber has changed something, or asked for the time.
  void acted() { ++acts_; }
  // A state that a call would see has changed.
  void changed();

 private:
  struct Repeated;
  class FiberWorker;
  class FiberExclusion;
  void run(Repeated& repeated);

  EventLoop& loop_;
  Fibers& fibers_;
  std::uint64_t acts_ = 0, changes_ = 0;
  std::set<Fibers::Id> quiet_;
};

}  // namespace reprise::simulator
