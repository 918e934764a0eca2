#include "simulator/api_server/schema/resource_type.h"

namespace reprise::simulator {
namespace {

constexpr bool namespaced = true, cluster_scoped = false;

ResourceType plain(std::string group, std::string version, std::string plural, std::string kind, bool in_namespace) {
  return {.group = std::move(group),
          .version = std::move(version),
          .plural = std::move(plural),
          .kind = std::move(kind),
          .namespaced = in_namespace};
}

// Desired state and observed state written apart.
ResourceType with_status(ResourceType type, bool generation) {
  type.status_subresource = true;
  type.generation = generation;
  return type;
}

ResourceType pods() {
  ResourceType type = with_status(plain("", "v1", "pods", "Pod", namespaced), true);
  type.graceful_deletion = true;
  return type;
}

}  // namespace

std::vector<ResourceType> built_in_resources() {
  const auto core = [](std::string plural, std::string kind, bool in_namespace) {
    return plain("", "v1", std::move(plural), std::move(kind), in_namespace);
  };
  return {
      with_status(core("namespaces", "Namespace", cluster_scoped), false),
      pods(),
      with_status(core("nodes", "Node", cluster_scoped), false),
      core("configmaps", "ConfigMap", namespaced),
      core("secrets", "Secret", namespaced),
      core("serviceaccounts", "ServiceAccount", namespaced),
      with_status(core("services", "Service", namespaced), false),
      core("events", "Event", namespaced),
      with_status(core("persistentvolumeclaims", "PersistentVolumeClaim", namespaced), false),
      with_status(core("persistentvolumes", "PersistentVolume", cluster_scoped), false),
      with_status(core("resourcequotas", "ResourceQuota", namespaced), false),
      core("limitranges", "LimitRange", namespaced),
      plain("coordination.k8s.io", "v1", "leases", "Lease", namespaced),
      plain("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", cluster_scoped),
      plain("storage.k8s.io", "v1", "storageclasses", "StorageClass", cluster_scoped),
      with_status(plain("storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", cluster_scoped), false),
      plain("storage.k8s.io", "v1", "csinodes", "CSINode", cluster_scoped),
      with_status(plain("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", namespaced), true),
      with_status(plain("apps", "v1", "daemonsets", "DaemonSet", namespaced), true),
      with_status(plain("batch", "v1", "jobs", "Job", namespaced), true),
      with_status(plain("snapshot.storage.k8s.io", "v1", "volumesnapshots", "VolumeSnapshot", namespaced), true),
      with_status(
          plain("snapshot.storage.k8s.io", "v1", "volumesnapshotcontents", "VolumeSnapshotContent", cluster_scoped),
          true),
      with_status(plain("karpenter.sh", "v1", "nodepools", "NodePool", cluster_scoped), true),
      with_status(plain("karpenter.sh", "v1", "nodeclaims", "NodeClaim", cluster_scoped), true),
      with_status(plain("karpenter.sh", "v1alpha1", "nodeoverlays", "NodeOverlay", cluster_scoped), true),
  };
}

}  // namespace reprise::simulator
