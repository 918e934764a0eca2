// The labels that Reprise puts on nodes that it has not made, and takes off again. A record of each stands on the node
// itself, in labels beside them, so that it is known after a restart and a person's own label is told from it:
//
//   nvidia.com/device-plugin.config: ts-4                          what the device plugin reads
//   set.reprise.dev/nvidia.com_device-plugin.config: ts-4          Reprise has put it there, with this value
//   set.reprise.dev/by: t4                                         for this GpuPool
//
// (docs/decisions/pools/0071-existing-nodes.md)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/kube/node.h"

namespace reprise::controllers::gpupool {

// The pool that a node's labels were put there for.
inline constexpr std::string_view kLabelledByLabel = "set.reprise.dev/by";

// The label that records another one.
[[nodiscard]] std::string record_of(std::string_view label);

// One write to this version of the node and no other. An empty value takes the label off.
struct LabelNode {
  std::string node, resource_version;
  std::vector<std::pair<std::string, std::optional<std::string>>> labels;
};

enum class NodeState {
  In,          // bears all that the pool wants
  Labelling,   // is being written
  InUse,       // a pod uses what is there, which must not change under it
  LabelTaken,  // somebody else has given one of the labels another value
  OtherPool,   // another pool has it
  Leaving,     // the pool's labels go, at once or when nothing uses the GPUs any more
  Out,         // bears nothing of the pool
};

struct NodeVerdict {
  NodeState state = NodeState::Out;
  std::string message = {};  // names the node and says what to do; empty where nothing is amiss
  std::optional<LabelNode> change = {};
};

// Judges a node that the pool wants. `labels`: those that the device plugin and others read of it. `user`: a pod that
// uses its GPUs, "namespace/name"; empty: none.
[[nodiscard]] NodeVerdict take_node(const kube::Node& node, const std::string& pool, const kube::StringMap& labels,
                                    const std::string& user);

// The node's labels without those that were put there for a pool.
[[nodiscard]] kube::StringMap labels_of_others(const kube::Node& node);

// Judges a node that the pool does not want, or no more. The pool's labels go, if they are as it put them there: first
// those that bring pods there, and the rest when none uses the GPUs.
[[nodiscard]] NodeVerdict release_node(const kube::Node& node, const std::string& pool, const std::string& user);

}  // namespace reprise::controllers::gpupool
