#include "runtime/client/internal/protobuf_status.h"

#include "runtime/kube/protobuf/protobuf.h"

namespace reprise::runtime::internal {
namespace {

using kube::protobuf::Message;

Json::Value read_cause(const Message& list) {
  Json::Value cause(Json::objectValue);
  for (Message field = list.message(); field.next();) {
    if (field.field() == 1) cause["reason"] = field.text();
    if (field.field() == 2) cause["message"] = field.text();
    if (field.field() == 3) cause["field"] = field.text();
  }
  return cause;
}

Json::Value read_details(const Message& status) {
  Json::Value details(Json::objectValue);
  for (Message field = status.message(); field.next();) {
    if (field.field() == 4) details["causes"].append(read_cause(field));
    if (field.field() == 5) details["retryAfterSeconds"] = field.int32();
  }
  return details;
}

}  // namespace

std::optional<Json::Value> read_protobuf_status(std::string_view body) {
  const auto envelope = kube::protobuf::open_envelope(body);
  if (!envelope || envelope->kind != "Status") return std::nullopt;
  auto tree = kube::protobuf::decode<Json::Value>(envelope->object, [](Message& status, Json::Value& out) {
    out["kind"] = "Status";
    while (status.next()) {
      if (status.field() == 3) out["message"] = status.text();
      if (status.field() == 4) out["reason"] = status.text();
      if (status.field() == 5) out["details"] = read_details(status);
      if (status.field() == 6) out["code"] = status.int32();
    }
  });
  if (!tree) return std::nullopt;
  return *std::move(tree);
}

}  // namespace reprise::runtime::internal
