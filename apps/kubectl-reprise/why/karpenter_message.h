// Why Karpenter starts no machine for a pod, out of the message of its Event FailedScheduling, which lists one reason
// for each NodePool of the cluster. Private to this folder.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace reprise::plugin::why {

enum class RefusedFor {
  Limit,         // a NodePool has what its limits allow
  InstanceType,  // none has room for the pod
  Offering,      // one has, and the provider is out of it at the moment
  NoNodePool,
  Volume,        // where the pod's volume lies no machine may be rented
  Topology,      // pod affinity, topology spread
  Requirements,  // the pod's node selector and affinity
  Taint,
  VolumeNotBound,  // a claim was not bound at that moment
  Other,
};

struct Refusal {
  RefusedFor why = RefusedFor::Other;
  std::string node_pool;  // where it says so
  std::string message;    // the part that says it
  // Each part is about a NodePool of another pool. Karpenter leaves out those of which no instance type is as the
  // NodePool demands.
  bool only_of_others = false;
};

// The NodePools out of which the pod's node may come.
struct OwnNodePools {
  std::function<bool(std::string_view)> has_name;
  std::function<bool(std::string_view)> bears;      // whether their nodes bear a label of that name
  std::function<bool(std::string_view)> has_taint;  // "key=value:Effect"; true where nobody knows their taints
};

// Of several reasons the one that comes first in RefusedFor: what other NodePools say of a pod that is not theirs
// (taints, requirements) comes last. What is said of another NodePool is passed over: by its name, because it is of
// another pool or of none, or because of a label or taint that tells it from the own ones. In whatever order Karpenter
// says it.
[[nodiscard]] Refusal read_refusal(std::string_view message, const OwnNodePools& own);

}  // namespace reprise::plugin::why
