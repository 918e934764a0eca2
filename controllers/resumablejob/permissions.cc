#include "controllers/resumablejob/register.h"

namespace reprise::controllers::resumablejob {

std::vector<kube::Permission> permissions() {
  return {{"reprise.dev", "resumablejobs/status", {"patch"}},
          // Owner references that block the owner's deletion (admission plugin OwnerReferencesPermissionEnforcement).
          {"reprise.dev", "resumablejobs/finalizers", {"update"}},
          {"reprise.dev", "resumablejobs", {"delete"}},  // ttlSecondsAfterFinished
          {"", "pods", {"create", "patch", "delete"}},
          {"", "pods/status", {"patch"}},
          {"", "persistentvolumeclaims", {"get", "list", "watch", "create", "patch"}},
          {"", "services", {"get", "list", "watch", "create"}},
          {"", "namespaces", {"get", "list", "watch"}},
          {"", "events", {"list", "watch"}},
          {"karpenter.sh", "nodeclaims", {"delete"}}};
}

}  // namespace reprise::controllers::resumablejob
