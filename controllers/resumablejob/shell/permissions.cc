#include "controllers/resumablejob/shell/register.h"

namespace reprise::controllers::resumablejob {

std::vector<kube::Permission> permissions(bool kueue, bool kueue_priority_boost) {
  using enum kube::PermissionScope;
  std::vector<kube::Permission> all = {
      {"reprise.dev", "resumablejobs/status", {"patch"}, WatchedNamespaces},
      // Owner references that block the owner's deletion (admission plugin OwnerReferencesPermissionEnforcement).
      {"reprise.dev", "resumablejobs/finalizers", {"update"}, WatchedNamespaces},
      {"reprise.dev", "resumablejobs", {"delete"}, WatchedNamespaces},  // ttlSecondsAfterFinished
      {"", "pods", {"create", "patch", "delete"}, WatchedNamespaces},
      {"", "pods/status", {"patch"}, WatchedNamespaces},
      {"", "persistentvolumeclaims", {"get", "list", "watch", "create", "patch"}, WatchedNamespaces},
      {"", "services", {"get", "list", "watch", "create"}, WatchedNamespaces},
      {"", "events", {"list", "watch"}, DefaultNamespace},  // notices about nodes and NodeClaims
      {"", "events", {"list"}, WatchedNamespaces},          // the scheduler's words about a pod that is missing
      {"karpenter.sh", "nodeclaims", {"delete"}}};
  if (kueue) {
    const std::vector<std::string> read = {"list", "watch"};
    all.insert(all.end(),
               {{"kueue.x-k8s.io", "workloads", {"get", "list", "watch", "create", "delete"}, WatchedNamespaces},
                {"kueue.x-k8s.io", "workloads/status", {"patch"}, WatchedNamespaces},
                {"kueue.x-k8s.io", "resourceflavors", read},
                {"kueue.x-k8s.io", "workloadpriorityclasses", read},
                {"scheduling.k8s.io", "priorityclasses", read}});
  }
  if (kueue && kueue_priority_boost) all.push_back({"kueue.x-k8s.io", "workloads", {"patch"}, WatchedNamespaces});
  return all;
}

}  // namespace reprise::controllers::resumablejob
