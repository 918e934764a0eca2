// A pool of nodes that are there already (spec.existingNodes): selects its own, plans what is written on them, and
// reports. Pure. How a node is labelled: node_labels.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/decide/observation.h"
#include "controllers/gpupool/node_pools/node_labels.h"

namespace reprise::controllers::gpupool {

struct ExistingNodesPlan {
  std::vector<LabelNode> changes;
  std::int32_t selected = 0, in = 0, labelling = 0;  // nodes that the selector names; of those, the pool's
  // Tell of the first node by name of each kind, and how many more there are; empty: none.
  std::string taken_by_pool, label_taken, in_use, leaving;
};

// Reports on a pool that nothing blocks as a whole. `writes`: what the device plugin reads is being written.
void say_existing_nodes(const ExistingNodesPlan& nodes, bool writes, ConditionSetter& set);
inline constexpr std::string_view kNodeOfAnotherPool = "NodeOfAnotherPool";

// The reason why single nodes are not shared as the pool says; the others serve. Empty: there are none.
struct NotShared {
  std::string_view reason = {};
  std::string message = {};
  bool waits = false;  // passes by itself
};
[[nodiscard]] NotShared not_shared(const ExistingNodesPlan& nodes);

// The one of `pools` that a node belongs to: the oldest that selects it. Null: none does.
[[nodiscard]] const api::GpuPool* owner_of(const kube::Node& node,
                                           const std::vector<std::shared_ptr<const api::GpuPool>>& pools);

// `labels`: those of the pool's sharing; null: the pool takes no node, and gives back those that it has.
[[nodiscard]] ExistingNodesPlan plan_existing_nodes(const Observation& seen, const kube::StringMap* labels);

// Takes the labels of a pool that is gone off its nodes.
[[nodiscard]] std::vector<LabelNode> release_nodes(const std::string& pool, const CandidateNodes& candidates);

}  // namespace reprise::controllers::gpupool
