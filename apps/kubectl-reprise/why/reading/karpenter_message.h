// Reads why Karpenter starts no machine for a pod from the message of its Event FailedScheduling, which lists one
// reason for each NodePool of the cluster. Private to this folder.
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
  Volume,        // no machine may be rented where the pod's volume lies
  Topology,      // pod affinity, topology spread
  Requirements,  // the pod's node selector and affinity
  Taint,
  VolumeNotBound,  // a claim was not bound at that moment
  Other,
};

struct Refusal {
  RefusedFor why = RefusedFor::Other;
  std::string node_pool;  // the NodePool, if the message names it
  std::string message;    // the part of the message with the reason
  // Each part is about a NodePool of another pool. Karpenter leaves out NodePools without an instance type that meets
  // the NodePool's own demands.
  bool only_of_others = false;
};

// The NodePools from which the pod's node may come.
struct OwnNodePools {
  std::function<bool(std::string_view)> has_name;
  std::function<bool(std::string_view)> bears;      // their nodes bear a label of that name
  std::function<bool(std::string_view)> has_taint;  // "key=value:Effect"; true where nobody knows their taints
};

// The reason that comes first in RefusedFor: reasons of NodePools that the pod is not for (taints, requirements) come
// last. Reasons of foreign NodePools are skipped: by name, because they belong to another pool or to none, or because a
// label or taint tells them from the own ones. The order of the message does not matter.
[[nodiscard]] Refusal read_refusal(std::string_view message, const OwnNodePools& own);

}  // namespace reprise::plugin::why
