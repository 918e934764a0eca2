// Kueue with one ClusterQueue, its LocalQueue and one flavor. It admits Workloads by priority and age while the quota
// lasts, preempts Workloads of a lower priority (withinClusterQueue: LowerPriority, BestEffortFIFO), and drains the
// queue on request. Like the real one it only reports that a Workload is evicted: the quota stays taken until the
// Workload's owner gives it back.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/actors/support/wake.h"
#include "simulator/cluster/cluster.h"

namespace reprise::simulator {

// Kueue's kinds, as far as Reprise reads them: Workload, ResourceFlavor, WorkloadPriorityClass.
void serve_kueue(ApiServer& api);

// The GPUs or shares of them that a Workload asks for, for all its pods.
[[nodiscard]] std::int64_t units_of(const Value& workload);
// True in Kueue's own books: the Workload is admitted, has not finished, and nobody has deactivated it.
[[nodiscard]] bool holds_units(const Value& workload);

class Kueue final : public Actor {
 public:
  // `cluster`, which serves its kinds, and `random`, a stream of its own, outlive it.
  Kueue(Cluster& cluster, runtime::Random& random, std::int64_t units);

  // stopPolicy HoldAndDrain: admits no Workload, and evicts those admitted. With false: None again.
  void drain(bool drained);

  // Kueue's scheduler looks at the heads of the queues as they come; a cycle takes tenths of a second.
  static constexpr Duration kCycle{300};

 private:
  void look();
  void settle(const ObjectPtr& workload);
  void admit(const Value& workload);
  void evict(const Value& workload, std::string_view reason, std::string_view message);
  // True: enough of a lower priority goes, or is going already.
  bool preempt_for(const Value& workload, std::int64_t missing);
  void say_pending(const Value& workload, std::int64_t missing);
  void write(const Value& workload, const std::function<void(Value&, std::string_view now)>& change);
  [[nodiscard]] std::int64_t free_units() const;

  Cluster& cluster_;
  runtime::Random& random_;
  std::int64_t units_;
  ResourceId workloads_;
  bool drained_ = false;
  Wake cycle_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
