#include "controllers/common/job_of.h"

#include "controllers/common/job_labels.h"

namespace reprise::controllers {

// The version may be another than ours: group and kind say what it is.
const kube::OwnerReference* controlling_job(const kube::ObjectMeta& object) {
  constexpr kube::KindInfo kind = kube::KindOf<api::ResumableJob>::info();
  const kube::OwnerReference* const owner = object.controller();
  if (owner == nullptr || owner->uid.empty() || owner->kind != kind.kind) return nullptr;
  const std::string_view version = owner->api_version;
  return version.substr(0, version.find('/')) == kind.group ? owner : nullptr;
}

bool is_of_job(const kube::ObjectMeta& object, const api::ResumableJob& job) {
  const kube::OwnerReference* const owner = controlling_job(object);
  return owner != nullptr && owner->uid == job.meta.uid && object.namespace_ == job.meta.namespace_;
}

bool is_standby(const kube::Pod& pod) {
  return controlling_job(pod.meta) != nullptr && !pod.meta.label(kStandbyLabel).empty();
}

std::string job_key(std::string_view ns, std::string_view job_uid) {
  return std::string(ns) + "/" + std::string(job_uid);
}

std::vector<std::string> job_keys_of(const kube::ObjectMeta& object) {
  const kube::OwnerReference* const owner = controlling_job(object);
  if (owner == nullptr) return {};
  return {job_key(object.namespace_, owner->uid)};
}

}  // namespace reprise::controllers
