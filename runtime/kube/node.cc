#include "runtime/kube/node.h"

#include <algorithm>

#include "runtime/kube/internal/meta_fields.h"
#include "runtime/kube/internal/pod_parts.h"

namespace reprise::kube {

const PodCondition* Node::condition(std::string_view type) const {
  return internal::find_condition(conditions, type);
}

const Taint* Node::taint(std::string_view key) const {
  const auto found = std::ranges::find(taints, key, &Taint::key);
  return found == taints.end() ? nullptr : &*found;
}

bool Node::ready() const {
  const PodCondition* const found = condition("Ready");
  return found != nullptr && found->status == "True";
}

std::expected<Node, DecodeError> KindOf<Node>::decode(std::string_view json) {
  return internal::decode_with(json, [](const internal::Field& object) {
    const internal::Field spec = object["spec"];
    const internal::Field status = object["status"];
    Node node;
    node.meta = internal::read_meta(object);
    node.provider_id = spec["providerID"].view().value_or("");
    node.boot_id = status["nodeInfo"]["bootID"].view().value_or("");
    node.unschedulable = spec["unschedulable"].boolean().value_or(false);
    node.taints = spec["taints"].list(internal::In::read<Taint>);
    node.conditions = status["conditions"].list(internal::In::read<PodCondition>);
    keep_only(node.meta.annotations, kNodeAnnotations);
    node.allocatable = status["allocatable"].quantity_map();
    node.capacity = status["capacity"].quantity_map();
    for (StringMap* quantities : {&node.allocatable, &node.capacity})
      erase_if(*quantities, [](const auto& entry) { return !internal::is_extended(entry.first); });
    return node;
  });
}

}  // namespace reprise::kube
