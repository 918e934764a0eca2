// kube-scheduler: binds pending pods to nodes.
//
// Requests (extended resources too), taints, nodeSelector, required node affinity, volume zones, WaitForFirstConsumer,
// ReadWriteOncePod, priority and preemption. Not there: spreading, pod affinity, preferred terms, scheduling gates.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "simulator/actors/scheduler/fit.h"
#include "simulator/actors/support/pod_writes.h"
#include "simulator/actors/support/wake.h"

namespace reprise::simulator {

class Scheduler final : public Actor {
 public:
  explicit Scheduler(const World& world);

  // From a change to the cycle that sees it: an idle scheduler takes a few milliseconds (watch and one cycle).
  static constexpr Duration kLatency{10};
  // podInitialBackoffSeconds and podMaxBackoffSeconds of KubeSchedulerConfiguration: 1 and 10.
  static constexpr Duration kFirstBackoff{1'000}, kMaxBackoff{10'000};

  // Delays taints so much behind pods, which come through another watch; 0: no delay.
  void hear_of_taints_after(Duration lag) { taint_lag_ = lag; }

 private:
  struct Try {
    std::string uid;
    Duration backoff{0}, not_before{0};
    std::string reserved_on = {};  // holds its place there while its claims are provisioned
  };
  void see(const ObjectChange& change);
  void see_node(const ObjectChange& change);
  // The node as it was before the taints that have not reached it yet.
  [[nodiscard]] NodeFacts as_known(const NodeFacts& node) const;
  void cycle();
  void place(const PodFacts& pod, Try& attempt);
  [[nodiscard]] Resources left_for(const PodFacts& pod, const NodeFacts& node) const;
  // By value: binding changes the view, where the name of a node lives.
  void bind(const PodFacts& pod, std::string node);
  void reserve(const PodFacts& pod, Try& attempt, const VolumeNeeds& volumes, const std::string& node);
  void preempt(const PodFacts& pod, const VolumeNeeds& volumes);
  void forget_nomination(const PodFacts& pod);
  void mark_unschedulable(const PodFacts& pod, Try& attempt, const std::string& why);

  World world_;
  std::map<std::string, Try> tries_;  // by the pod's key
  Duration taint_lag_{0};
  struct Outdated {
    Taints taints;
    Duration until{0};
  };
  std::map<std::string, Outdated> outdated_;  // by the Node's uid
  Wake wake_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
