// Node, slim.
#pragma once

#include <expected>

#include "runtime/kube/meta.h"
#include "runtime/kube/pod.h"
#include "runtime/kube/taint.h"

namespace reprise::kube {

struct Node {
  ObjectMeta meta;  // all labels, since a pool may select nodes by any; no annotations
  Text provider_id;
  Text boot_id;
  bool unschedulable = false;
  List<Taint> taints;
  List<PodCondition> conditions;  // same shape: type, status, reason, message
  StringMap allocatable;          // extended resources only (a name with '/')
  [[nodiscard]] const PodCondition* condition(std::string_view type) const;
  [[nodiscard]] const Taint* taint(std::string_view key) const;
  [[nodiscard]] bool ready() const;

  static void fields(auto& self, auto& field) {
    field.unmapped(self.meta, self.provider_id, self.boot_id, self.unschedulable, self.taints, self.conditions,
                   self.allocatable);
  }
};

template <>
struct KindOf<Node> {
  static constexpr KindInfo info() { return {"", "v1", "Node", "nodes", false}; }
  [[nodiscard]] static std::expected<Node, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<Node, DecodeError> decode_protobuf(std::string_view bytes);
};

}  // namespace reprise::kube
