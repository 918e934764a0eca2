#include "controllers/gpupool/sharing/request_gpus.h"

#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::gpupool {

void request_gpus(const api::GpuPool& pool, api::PodBuilder& pod) {
  pod.runtime_class_name = pool.spec.runtime_class_name;
  const GpuSharing sharing = sharing_of(pool.spec.sharing);
  if (!sharing.unit_resources) {
    pod.resource_names[std::string(api::kUnitResource)] = pool.status.resource_name;
    return;
  }
  pod.shared_resource = api::kUnitResource;
  for (const auto& [name, quantity] : *sharing.unit_resources) pod.resource_shares.push_back({name, quantity});
  for (const auto& [key, value] : sharing.pod_labels) pod.labels.emplace(key, value);
  for (const auto& [key, value] : sharing.pod_annotations) pod.annotations.emplace(key, value);
  if (!sharing.container_annotation.empty()) pod.annotations[sharing.container_annotation] = pod.container;
  pod.scheduler_name = sharing.scheduler_name;
}

void tolerate_taints(const api::GpuPoolSpec& spec, api::PodBuilder& pod) {
  pod.tolerations.push_back(
      {.key = "nvidia.com/gpu", .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}});
  for (const kube::Taint& taint : spec.taints) {
    pod.tolerations.push_back({.key = taint.key,
                               .op = taint.value.empty() ? "Exists" : "Equal",
                               .value = taint.value,
                               .effect = taint.effect,
                               .toleration_seconds = {}});
  }
}

}  // namespace reprise::controllers::gpupool
