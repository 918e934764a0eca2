// Node in the wire format; the numbers are those of k8s.io/api/core/v1.
#include "runtime/kube/internal/pod_parts.h"
#include "runtime/kube/internal/protobuf_parts.h"
#include "runtime/kube/node.h"

namespace reprise::kube {

using protobuf::Message;

namespace {

void read_spec(const Message& object, Node& node) {
  for (Message spec = object.message(); spec.next();) {
    if (spec.field() == 3) spec.text(node.provider_id);
    if (spec.field() == 4) node.unschedulable = spec.boolean();
    if (spec.field() == 5) node.taints.push_back(internal::read_taint(spec));
  }
}

void read_status(const Message& object, Node& node) {
  for (Message status = object.message(); status.next();) {
    if (status.field() == 1 || status.field() == 2) {
      StringMap& quantities = status.field() == 1 ? node.capacity : node.allocatable;
      auto [resource, quantity] = status.quantity_entry();
      if (internal::is_extended(resource)) quantities.insert_or_assign(std::move(resource), std::move(quantity));
    }
    if (status.field() == 4) node.conditions.push_back(internal::read_condition(status));
    if (status.field() != 7) continue;
    for (Message info = status.message(); info.next();) {
      if (info.field() == 3) info.text(node.boot_id);
    }
  }
}

}  // namespace

std::expected<Node, DecodeError> KindOf<Node>::decode_protobuf(std::string_view bytes) {
  return protobuf::decode<Node>(bytes, [](Message& object, Node& node) {
    while (object.next()) {
      if (object.field() == 1) protobuf::read(object, node.meta);
      if (object.field() == 2) read_spec(object, node);
      if (object.field() == 3) read_status(object, node);
    }
    keep_only(node.meta.annotations, kNodeAnnotations);
  });
}

}  // namespace reprise::kube
