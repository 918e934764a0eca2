// Karpenter's kinds, as far as Reprise reads and writes them: NodePool, NodeClaim (karpenter.sh/v1),
// NodeOverlay (karpenter.sh/v1alpha1).
#pragma once

#include <expected>

#include "api/gpu_pool.h"
#include "runtime/kube/meta.h"
#include "runtime/kube/pod.h"

namespace reprise::api {

struct NodeClaim {
  // Keeps the labels and annotations of reprise.dev, karpenter.sh and nvidia.com alone, and instance type and zone.
  kube::ObjectMeta meta;
  kube::Text node_name;    // status.nodeName
  kube::Text provider_id;  // status.providerID
  // Extended resources alone: status.capacity; until it is launched spec.resources.requests, for which it was made.
  kube::StringMap capacity;
  kube::List<kube::PodCondition> conditions;
  [[nodiscard]] const kube::PodCondition* condition(std::string_view type) const;

  static void fields(auto& self, auto& field) {
    field.unmapped(self.meta, self.node_name, self.provider_id, self.capacity, self.conditions);
  }
};

}  // namespace reprise::api

template <>
struct reprise::kube::KindOf<reprise::api::NodeClaim> {
  static constexpr kube::KindInfo info() { return {"karpenter.sh", "v1", "NodeClaim", "nodeclaims", false}; }
  [[nodiscard]] static std::expected<api::NodeClaim, kube::DecodeError> decode(std::string_view json);
};

namespace reprise::api {

struct KarpenterBudget;  // how a budget travels

struct NodePoolSpec {
  std::optional<std::int32_t> weight;
  kube::StringMap limits;
  std::string consolidation_policy;  // WhenEmpty | WhenEmptyOrUnderutilized
  std::string consolidate_after;     // "300s" | "Never"
  std::vector<DisruptionBudget> budgets;
  kube::StringMap labels, annotations;  // template.metadata
  NodeClassRef node_class_ref;
  std::string expire_after;              // "Never"
  std::string termination_grace_period;  // "120s"
  std::vector<kube::Taint> taints, startup_taints;
  std::vector<NodeRequirement> requirements;
  static void fields(auto& self, auto& field) {
    field("weight", self.weight);
    field.quantities("limits", self.limits);
    field.nest("disruption", [&](auto& disruption) {
      disruption("consolidationPolicy", self.consolidation_policy);
      disruption("consolidateAfter", self.consolidate_after);
      disruption.template as<KarpenterBudget>("budgets", self.budgets);
    });
    field.nest("template", [&](auto& node) {
      node.nest("metadata", [&](auto& meta) {
        meta("labels", self.labels);
        meta("annotations", self.annotations);
      });
      node.nest("spec", [&](auto& spec) {
        spec("nodeClassRef", self.node_class_ref);
        spec("expireAfter", self.expire_after);
        spec("terminationGracePeriod", self.termination_grace_period);
        spec("taints", self.taints);
        spec("startupTaints", self.startup_taints);
        spec("requirements", self.requirements);
      });
    });
  }
  bool operator==(const NodePoolSpec&) const = default;
};

struct NodePool {
  kube::ObjectMeta meta;
  NodePoolSpec spec;
  kube::List<kube::PodCondition> conditions;
  [[nodiscard]] const kube::PodCondition* condition(std::string_view type) const;
  static void fields(auto& self, auto& field) { field.unmapped(self.meta, self.spec, self.conditions); }
};

}  // namespace reprise::api

template <>
struct reprise::kube::KindOf<reprise::api::NodePool> {
  static constexpr kube::KindInfo info() { return {"karpenter.sh", "v1", "NodePool", "nodepools", false}; }
  [[nodiscard]] static std::expected<api::NodePool, kube::DecodeError> decode(std::string_view json);
};

namespace reprise::api {
[[nodiscard]] std::string encode(const NodePool& pool);
// {"metadata": {"resourceVersion", "labels"}, "spec": {...}}: a merge patch towards `pool`; fields that `pool` leaves
// unset are removed (null).
[[nodiscard]] std::string encode_spec_patch(const NodePool& pool, std::string_view resource_version);
// The same from what is there: also removes the keys of maps (limits, labels, annotations) that `want` no longer has,
// which a merge patch does only when they are named.
[[nodiscard]] std::string encode_spec_patch(const NodePool& want, const NodePool& have);

struct NodeOverlaySpec {
  std::optional<std::int32_t> weight;
  std::vector<NodeRequirement> requirements;
  kube::StringMap capacity;
  static void fields(auto& self, auto& field) {
    field("weight", self.weight);
    field("requirements", self.requirements);
    field.quantities("capacity", self.capacity);
  }
  bool operator==(const NodeOverlaySpec&) const = default;
};

struct NodeOverlay {
  kube::ObjectMeta meta;
  NodeOverlaySpec spec;
  kube::List<kube::PodCondition> conditions;
  [[nodiscard]] const kube::PodCondition* condition(std::string_view type) const;
  static void fields(auto& self, auto& field) { field.unmapped(self.meta, self.spec, self.conditions); }
};

}  // namespace reprise::api

template <>
struct reprise::kube::KindOf<reprise::api::NodeOverlay> {
  static constexpr kube::KindInfo info() { return {"karpenter.sh", "v1alpha1", "NodeOverlay", "nodeoverlays", false}; }
  [[nodiscard]] static std::expected<api::NodeOverlay, kube::DecodeError> decode(std::string_view json);
};

namespace reprise::api {
[[nodiscard]] std::string encode(const NodeOverlay& overlay);
[[nodiscard]] std::string encode_spec_patch(const NodeOverlay& overlay, std::string_view resource_version);
[[nodiscard]] std::string encode_spec_patch(const NodeOverlay& want, const NodeOverlay& have);

}  // namespace reprise::api
