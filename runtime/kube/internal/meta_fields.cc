#include "runtime/kube/internal/meta_fields.h"

namespace reprise::kube {

template <class A>
void fields(A& a, internal::Ref<A, ObjectMeta> v) {
  a("name", v.name);
  a("namespace", v.namespace_);
  a("uid", v.uid);
  a("resourceVersion", v.resource_version);
  a("labels", v.labels);
  a("annotations", v.annotations);
  a("ownerReferences", v.owner_references);
  a("finalizers", v.finalizers);
  a("deletionTimestamp", v.deletion_timestamp);
  a("deletionGracePeriodSeconds", v.deletion_grace_period_seconds);
}

namespace internal {

ObjectMeta read_meta(const Field& object) {
  const Field here = object["metadata"];
  auto meta = In::read<ObjectMeta>(here);
  In in(here);
  in("generation", meta.generation);
  in("creationTimestamp", meta.creation_timestamp);
  compact(meta);
  return meta;
}

Json::Value write_meta(const ObjectMeta& meta) {
  Json::Value tree = Out::write(meta, Absent::LeaveOut);
  if (meta.generation != 0) tree["generation"] = static_cast<Json::Int64>(meta.generation);
  if (meta.creation_timestamp != Time{}) tree["creationTimestamp"] = format_time(meta.creation_timestamp);
  return tree;
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

}  // namespace internal
}  // namespace reprise::kube
