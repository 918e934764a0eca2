// An operator that ends in order loses nothing: everything that it has long seen of a pod is in its job's status when
// it gives the lease back (the invariant `orderly-end-tells-all`,
// docs/decisions/operator/0046-batched-status.md).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "simulator/cluster/cluster.h"
#include "simulator/faults/fault_mix.h"

namespace reprise::simulator {

class OrderlyEnds {
 public:
  using Report = std::function<void(std::string invariant, std::string what)>;

  // True when changes are seen in time, and no write is rejected or slow: a change that an operator could not see or
  // write is no fault of its end.
  [[nodiscard]] static bool can_be_judged(const FaultMix& mix);

  // The cluster outlives it.
  OrderlyEnds(Cluster& cluster, Report report);

 private:
  struct PodSeen {
    Duration made{0}, bound{0};  // 0: not bound
  };
  void note_pod(const ObjectChange& change);
  void note_lease(const ObjectChange& change);
  void judge(const Value& job) const;

  Cluster& cluster_;
  Report report_;
  ResourceId jobs_, pods_;
  Duration led_since_{0};
  std::map<std::string, PodSeen> seen_;  // by uid
  std::unique_ptr<ApiServer::Subscription> of_pods_, of_leases_;
};

}  // namespace reprise::simulator
