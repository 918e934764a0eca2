#include "controllers/gpupool/register.h"

namespace reprise::controllers::gpupool {

std::vector<kube::Permission> permissions() {
  using enum kube::PermissionScope;
  return {{"reprise.dev", "gpupools/status", {"patch"}},
          // Owner references that block the owner's deletion (admission plugin OwnerReferencesPermissionEnforcement).
          {"reprise.dev", "gpupools/finalizers", {"update"}},
          {"karpenter.sh", "nodepools", {"create", "patch", "delete"}},
          {"karpenter.sh", "nodeoverlays", {"get", "list", "watch", "create", "patch", "delete"}},
          {"karpenter.sh", "nodeclaims", {"delete"}},
          {"", "configmaps", {"get", "list", "watch", "create", "patch"}, OwnNamespace}};
}

}  // namespace reprise::controllers::gpupool
