// Karpenter's kinds, as far as Reprise reads and writes them: NodePool, NodeClaim (karpenter.sh/v1),
// NodeOverlay (karpenter.sh/v1alpha1).
#pragma once

#include <expected>

#include "api/gpu_pool.h"
#include "runtime/kube/meta.h"
#include "runtime/kube/pod.h"

namespace reprise::api {

struct NodeClaim {
  // Of labels and annotations those of reprise.dev and karpenter.sh alone.
  ObjectMeta meta;
  Text node_name;    // status.nodeName
  Text provider_id;  // status.providerID
  List<PodCondition> conditions;
  [[nodiscard]] const PodCondition* condition(std::string_view type) const;

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.meta, self.node_name, self.provider_id, self.conditions);
  }
};

template <>
struct KindOf<NodeClaim> {
  static constexpr KindInfo info() { return {"karpenter.sh", "v1", "NodeClaim", "nodeclaims", false}; }
  [[nodiscard]] static std::expected<NodeClaim, DecodeError> decode(std::string_view json);
};

struct NodePoolSpec {
  std::optional<std::int32_t> weight;
  StringMap limits;
  std::string consolidation_policy;  // WhenEmpty | WhenEmptyOrUnderutilized
  std::string consolidate_after;     // "300s" | "Never"
  std::vector<DisruptionBudget> budgets;
  StringMap labels, annotations;  // template.metadata
  NodeClassRef node_class_ref;
  std::string expire_after;              // "Never"
  std::string termination_grace_period;  // "120s"
  std::vector<Taint> taints, startup_taints;
  std::vector<NodeRequirement> requirements;
  bool operator==(const NodePoolSpec&) const = default;
};

struct NodePool {
  ObjectMeta meta;
  NodePoolSpec spec;
  List<PodCondition> conditions;
  [[nodiscard]] const PodCondition* condition(std::string_view type) const;
};

template <>
struct KindOf<NodePool> {
  static constexpr KindInfo info() { return {"karpenter.sh", "v1", "NodePool", "nodepools", false}; }
  [[nodiscard]] static std::expected<NodePool, DecodeError> decode(std::string_view json);
};
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
  StringMap capacity;
  bool operator==(const NodeOverlaySpec&) const = default;
};

struct NodeOverlay {
  ObjectMeta meta;
  NodeOverlaySpec spec;
  List<PodCondition> conditions;
  [[nodiscard]] const PodCondition* condition(std::string_view type) const;
};

template <>
struct KindOf<NodeOverlay> {
  static constexpr KindInfo info() { return {"karpenter.sh", "v1alpha1", "NodeOverlay", "nodeoverlays", false}; }
  [[nodiscard]] static std::expected<NodeOverlay, DecodeError> decode(std::string_view json);
};
[[nodiscard]] std::string encode(const NodeOverlay& overlay);
[[nodiscard]] std::string encode_spec_patch(const NodeOverlay& overlay, std::string_view resource_version);
[[nodiscard]] std::string encode_spec_patch(const NodeOverlay& want, const NodeOverlay& have);

}  // namespace reprise::api
