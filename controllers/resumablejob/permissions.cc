#include "controllers/resumablejob/register.h"

namespace reprise::controllers::resumablejob {

std::vector<kube::Permission> permissions() {
  using enum kube::PermissionScope;
  return {{"reprise.dev", "resumablejobs/status", {"patch"}, WatchedNamespaces},
          // Owner references that block the owner's deletion (admission plugin OwnerReferencesPermissionEnforcement).
          {"reprise.dev", "resumablejobs/finalizers", {"update"}, WatchedNamespaces},
          {"reprise.dev", "resumablejobs", {"delete"}, WatchedNamespaces},  // ttlSecondsAfterFinished
          {"", "pods", {"create", "patch", "delete"}, WatchedNamespaces},
          {"", "pods/status", {"patch"}, WatchedNamespaces},
          {"", "persistentvolumeclaims", {"get", "list", "watch", "create", "patch"}, WatchedNamespaces},
          {"", "services", {"get", "list", "watch", "create"}, WatchedNamespaces},
          {"", "namespaces", {"list", "watch"}},
          {"", "events", {"list", "watch"}, DefaultNamespace},  // notices about nodes and NodeClaims
          {"", "events", {"list"}, WatchedNamespaces},          // what the scheduler said about a pod that is missing
          {"karpenter.sh", "nodeclaims", {"delete"}}};
}

}  // namespace reprise::controllers::resumablejob
