// The labels that Reprise puts on nodes that it has not made, and takes off again. What it has put there is recorded on
// the node itself, in labels beside them, so that it is known after a restart and a person's own label is told from it:
//
//   nvidia.com/device-plugin.config: ts-4                          what the device plugin reads
//   set.reprise.dev/nvidia.com_device-plugin.config: ts-4          Reprise has put it there, with this value
//   set.reprise.dev/by: t4                                         for this GpuPool
//
// (docs/decisions/0071-existing-nodes-carry-a-record-of-what-was-put-on-them.md)
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

// One write; nothing for a label that goes. It is of this version of the node and no other.
struct LabelNode {
  std::string node, resource_version;
  std::vector<std::pair<std::string, std::optional<std::string>>> labels;
};

enum class NodeState {
  In,          // it bears all that the pool wants
  Labelling,   // that is being written
  InUse,       // what a pod uses there must not change under it
  LabelTaken,  // somebody else has given one of the labels another value
  OtherPool,   // another pool has it
  Leaving,     // the pool's labels go, at once or when nothing uses the GPUs any more
  Out,         // nothing of the pool is there
};

struct NodeVerdict {
  NodeState state = NodeState::Out;
  std::string message = {};  // names the node and says what to do; empty where nothing is amiss
  std::optional<LabelNode> change = {};
};

// Of a node that the pool wants. `labels`: what the device plugin and others read of it. `user`: a pod that uses its
// GPUs, "namespace/name"; empty: none.
[[nodiscard]] NodeVerdict take_node(const kube::Node& node, const std::string& pool, const kube::StringMap& labels,
                                    const std::string& user);

// The node's labels without those that were put there for a pool.
[[nodiscard]] kube::StringMap labels_of_others(const kube::Node& node);

// Of a node that the pool does not want, or no more. What the pool has put there goes, if it is as it was put there:
// first what brings pods there, and the rest when none uses the GPUs.
[[nodiscard]] NodeVerdict release_node(const kube::Node& node, const std::string& pool, const std::string& user);

}  // namespace reprise::controllers::gpupool
