#include "runtime/kube/internal/meta_fields.h"

namespace reprise::kube::internal {

ObjectMeta read_meta(const Field& object) {
  auto meta = In::read<ObjectMeta>(object["metadata"]);
  compact(meta);
  return meta;
}

Json::Value write_meta(const ObjectMeta& meta) {
  return Out::write(meta, Absent::LeaveOut);
}

Json::Value start_object(const KindInfo& info, const ObjectMeta& meta) {
  Json::Value tree(Json::objectValue);
  tree["apiVersion"] = info.api_version();
  tree["kind"] = std::string(info.kind);
  tree["metadata"] = write_meta(meta);
  return tree;
}

Json::Value status_patch(Json::Value status, std::string_view resource_version) {
  Json::Value tree(Json::objectValue);
  tree["metadata"]["resourceVersion"] = std::string(resource_version);
  tree["status"] = std::move(status);
  return tree;
}

}  // namespace reprise::kube::internal
