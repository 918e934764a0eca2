// Jobs in a queue of Kueue that has less room than they ask for, and people's deeds to it: they drain it for a while,
// deactivate a Workload, delete one.
//
// Seeds above kSeedsWithoutQueues alone have one: those below keep their scenarios.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/actors/kueue/kueue.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kSeedsWithoutQueues = 10'000;

void draw_queues(std::uint64_t seed, Workload& workload);

// A queue and its people, from now on.
class Queues {
 public:
  // Both outlive it.
  Queues(Cluster& cluster, const Workload& workload, std::uint64_t seed);

  // Ends people's deeds, and opens the queue to all.
  void end();

 private:
  void change(const std::string& job, const std::string& doing, bool active);
  void remove(const std::string& job);
  // The Workload of the present job: one of a former job of that name is nobody's to change.
  [[nodiscard]] ObjectPtr workload_of(const std::string& job) const;

  Cluster& cluster_;
  runtime::SeededRandom random_;
  ResourceId jobs_, workloads_;
  Kueue kueue_;
  Timers timers_;
};

}  // namespace reprise::simulator
