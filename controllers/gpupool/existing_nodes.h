// A pool of nodes that are there already (spec.existingNodes): which of them are its own, what is written on them, and
// what is to be said. Pure. How a node is labelled: node_labels.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/node_labels.h"
#include "controllers/gpupool/observation.h"

namespace reprise::controllers::gpupool {

struct ExistingNodesPlan {
  std::vector<LabelNode> changes;
  std::int32_t selected = 0, in = 0, labelling = 0;  // nodes that the selector names; of those, the pool's
  // Of the first node by name of each kind, and how many more there are; empty: none.
  std::string taken_by_pool, label_taken, in_use, leaving;
};

// For a pool that nothing blocks as a whole. `writes`: what the device plugin reads is being written.
void say_existing_nodes(const ExistingNodesPlan& nodes, bool writes, ConditionSetter& set);
inline constexpr std::string_view kNodeOfAnotherPool = "NodeOfAnotherPool";

// What keeps single nodes from being shared as the pool says; the others serve. No reason: nothing does.
struct NotShared {
  std::string_view reason = {};
  std::string message = {};
  bool waits = false;  // it passes by itself
};
[[nodiscard]] NotShared not_shared(const ExistingNodesPlan& nodes);

// Which of `pools` a node belongs to: the oldest that selects it. Null: none does.
[[nodiscard]] const api::GpuPool* owner_of(const kube::Node& node,
                                           const std::vector<std::shared_ptr<const api::GpuPool>>& pools);

// `labels`: of the pool's sharing; null: the pool takes no node, and what it has goes.
[[nodiscard]] ExistingNodesPlan plan_existing_nodes(const Observation& seen, const kube::StringMap* labels);

// What is left on nodes of a pool that is gone.
[[nodiscard]] std::vector<LabelNode> release_nodes(const std::string& pool, const CandidateNodes& candidates);

}  // namespace reprise::controllers::gpupool
