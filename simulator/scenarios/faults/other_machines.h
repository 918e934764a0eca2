// A job that names no pool, on machines that somebody else rents from the same Karpenter: a NodePool that no GpuPool
// has made. In half of these scenarios its nodes bear the pool's label all the same, as anybody may write it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/base/error.h"
#include "simulator/actors/actors.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

void draw_other_machines(std::uint64_t seed, Workload& workload);

// The tenant of those machines, who ends them after a while when a job waits for their end, or when they never become
// usable: nobody else may see to them.
class OtherMachines {
 public:
  // Both outlive it. Does nothing where no job uses such machines.
  OtherMachines(Actors& actors, const Workload& workload);

 private:
  void look();
  void make_node_pool();
  [[nodiscard]] bool is_theirs(const Value& claim) const;
  void confirm_when_gone(const Value& job);
  // Ends the claim when `so` has held for too long.
  void end_when_late(const Value& claim, bool so, Duration idle_timeout);

  Actors& actors_;
  bool labelled_;
  Duration until_;                         // the end of the faults
  std::map<std::string, Duration> since_;  // by name of the claim, or uid of the job
  Timers timers_;
};

}  // namespace reprise::simulator
