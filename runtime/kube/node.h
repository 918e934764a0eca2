// Node, slim.
#pragma once

#include <array>
#include <expected>
#include <string_view>

#include "runtime/kube/meta.h"
#include "runtime/kube/pod.h"
#include "runtime/kube/taint.h"

namespace reprise::kube {

// The one annotation kept of a Node: a person asks Karpenter by it to leave the node.
inline constexpr std::array<std::string_view, 1> kNodeAnnotations{"karpenter.sh/do-not-disrupt"};

struct Node {
  ObjectMeta meta;  // all labels, since a pool may select nodes by any; kNodeAnnotations
  Text provider_id;
  Text boot_id;
  bool unschedulable = false;
  List<Taint> taints;
  List<PodCondition> conditions;  // same shape: type, status, reason, message
  StringMap allocatable;          // extended resources only (a name with '/')
  StringMap capacity;             // capacity of these resources, including devices reported unhealthy
  [[nodiscard]] const PodCondition* condition(std::string_view type) const;
  [[nodiscard]] const Taint* taint(std::string_view key) const;
  [[nodiscard]] bool ready() const;

  static void fields(auto& self, auto& field) {
    field.unmapped(self.meta, self.provider_id, self.boot_id, self.unschedulable, self.taints, self.conditions,
                   self.allocatable, self.capacity);
  }
};

template <>
struct KindOf<Node> {
  static constexpr KindInfo info() { return {"", "v1", "Node", "nodes", false}; }
  [[nodiscard]] static std::expected<Node, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<Node, DecodeError> decode_protobuf(std::string_view bytes);
};

}  // namespace reprise::kube
