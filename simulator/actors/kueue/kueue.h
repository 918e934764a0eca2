// Kueue with one ClusterQueue, its LocalQueue and one flavor. It admits Workloads by priority and age while
// the quota lasts, preempts whoever is of a lower priority (withinClusterQueue: LowerPriority, BestEffortFIFO), and
// drains the queue when it is told to. Like the real one it only says that a Workload is evicted: the quota stays taken
// until whoever owns the Workload gives it back.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/actors/support/wake.h"
#include "simulator/cluster/cluster.h"

namespace reprise::simulator {

// Its kinds, as far as Reprise reads them: Workload, ResourceFlavor, WorkloadPriorityClass.
void serve_kueue(ApiServer& api);

// What a Workload asks for: GPUs or shares of them, of all its pods.
[[nodiscard]] std::int64_t units_of(const Value& workload);
// In Kueue's own books: it is admitted, has not finished, and nobody has deactivated it.
[[nodiscard]] bool holds_units(const Value& workload);

class Kueue final : public Actor {
 public:
  // `cluster`, which serves its kinds, and `random`, a stream of its own, outlive it.
  Kueue(Cluster& cluster, runtime::Random& random, std::int64_t units);

  // stopPolicy HoldAndDrain: nobody is admitted, and whoever was is evicted. With false: None again.
  void drain(bool drained);

  // Its scheduler looks at the heads of the queues as they come; a cycle takes tenths of a second.
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
