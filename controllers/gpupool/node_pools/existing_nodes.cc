#include "controllers/gpupool/node_pools/existing_nodes.h"

#include <algorithm>
#include <tuple>

#include "controllers/common/indexes.h"

namespace reprise::controllers::gpupool {
namespace {

// One finding for a condition's message, which has to stay short however many nodes there are.
class Findings {
 public:
  void add(const kube::Node& node, std::string message) {
    ++count_;
    if (!first_.empty() && first_ <= std::string_view(node.meta.name)) return;
    first_ = node.meta.name;
    message_ = std::move(message);
  }
  [[nodiscard]] std::string text() const {
    if (count_ < 2) return message_;
    return message_ + "; so it is with " + std::to_string(count_ - 1) + " more of the nodes";
  }

 private:
  std::size_t count_ = 0;
  std::string first_, message_;
};

bool selects(const api::GpuPool& pool, const kube::Node& node) {
  // The operator's own labels do not select: they would be taken off and put on again for ever.
  return pool.spec.existing_nodes && !pool.meta.deletion_timestamp &&
         pool.spec.existing_nodes->selector.matches(labels_of_others(node));
}

}  // namespace

void say_existing_nodes(const ExistingNodesPlan& nodes, bool writes, ConditionSetter& set) {
  set.set_true("NodePoolsSynced", "NotNeeded", "the pool is of nodes that are there already: Karpenter makes none");
  set.set_false("Stalled", "Progressing", "nothing blocks the pool");
  const std::string counted = std::to_string(nodes.in) + " of " + std::to_string(nodes.selected) +
                              " nodes that spec.existingNodes.selector names are in the pool";
  // A further node is no reason to call a pool unready that serves.
  if (!writes && nodes.in > 0) {
    set.set_true("Ready", "Ready", counted);
    set.remove("Reconciling");
  } else {
    const char* const reason = writes || nodes.labelling > 0 ? "Writing" : "NoNodes";
    set.set_false("Ready", reason, counted);
    set.set_true("Reconciling", reason, counted);
  }
  if (!nodes.taken_by_pool.empty()) {
    set.set_false("CapacityAvailable", kNodeOfAnotherPool, nodes.taken_by_pool);
  } else if (nodes.selected == 0) {
    set.set_false("CapacityAvailable", "NoNodes", counted);
  } else {
    set.set_true("CapacityAvailable", "NodesFound", counted);
  }
}

NotShared not_shared(const ExistingNodesPlan& nodes) {
  if (!nodes.label_taken.empty()) return {"NodeLabelNotOwned", nodes.label_taken};
  if (!nodes.in_use.empty()) return {"NodesInUse", nodes.in_use, true};
  if (!nodes.leaving.empty()) return {"NodesInUse", nodes.leaving, true};
  return {};
}

const api::GpuPool* owner_of(const kube::Node& node, const std::vector<std::shared_ptr<const api::GpuPool>>& pools) {
  const api::GpuPool* oldest = nullptr;
  const auto age = [](const api::GpuPool& pool) {
    return std::tuple(pool.meta.creation_timestamp, std::string_view(pool.meta.name));
  };
  for (const auto& pool : pools) {
    if (selects(*pool, node) && (oldest == nullptr || age(*pool) < age(*oldest))) oldest = pool.get();
  }
  return oldest;
}

ExistingNodesPlan plan_existing_nodes(const Observation& seen, const kube::StringMap* labels) {
  ExistingNodesPlan plan;
  Findings of_pools, of_labels, in_use, leaving;
  const std::string pool(seen.pool->meta.name);
  for (const auto& node : seen.candidates.nodes) {
    if (node->meta.deletion_timestamp) continue;
    const std::string& user = seen.candidates.user_of(*node);
    const bool wanted = labels != nullptr && selects(*seen.pool, *node);
    if (wanted) ++plan.selected;
    const api::GpuPool* const owner = wanted ? owner_of(*node, seen.pools_of_existing_nodes) : nullptr;
    const bool others = owner != nullptr && owner->meta.uid != seen.pool->meta.uid;
    NodeVerdict verdict = wanted && !others ? take_node(*node, pool, *labels, user) : release_node(*node, pool, user);
    if (others) {
      of_pools.add(*node, "node " + std::string(node->meta.name) + ": it is in GpuPool " +
                              std::string(owner->meta.name) +
                              ", which is older and selects it too; narrow spec.existingNodes.selector of one of them");
    }
    if (verdict.change) plan.changes.push_back(*std::move(verdict.change));
    switch (verdict.state) {
      case NodeState::In:
        ++plan.in;
        break;
      case NodeState::InUse:
        // The node goes on as it was until then.
        if (node->meta.label(kPoolLabel) == pool) ++plan.in;
        in_use.add(*node, std::move(verdict.message));
        break;
      case NodeState::LabelTaken:
        of_labels.add(*node, std::move(verdict.message));
        break;
      case NodeState::OtherPool:
        of_pools.add(*node, std::move(verdict.message));
        break;
      case NodeState::Leaving:
        if (!verdict.message.empty()) leaving.add(*node, std::move(verdict.message));
        break;
      case NodeState::Labelling:
        ++plan.labelling;
        // A label more or less does not take it from the jobs there.
        if (node->meta.label(kPoolLabel) == pool) ++plan.in;
        break;
      case NodeState::Out:
        break;
    }
  }
  plan.taken_by_pool = of_pools.text();
  plan.label_taken = of_labels.text();
  plan.in_use = in_use.text();
  plan.leaving = leaving.text();
  return plan;
}

std::vector<LabelNode> release_nodes(const std::string& pool, const CandidateNodes& candidates) {
  std::vector<LabelNode> changes;
  for (const auto& node : candidates.nodes) {
    if (node->meta.deletion_timestamp) continue;
    NodeVerdict verdict = release_node(*node, pool, candidates.user_of(*node));
    if (verdict.change) changes.push_back(*std::move(verdict.change));
  }
  return changes;
}

}  // namespace reprise::controllers::gpupool
