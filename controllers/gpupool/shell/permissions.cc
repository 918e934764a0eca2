#include "controllers/gpupool/shell/register.h"

namespace reprise::controllers::gpupool {

std::vector<kube::Permission> permissions(const std::string& device_plugin_namespace) {
  using enum kube::PermissionScope;
  return {{"reprise.dev", "gpupools/status", {"patch"}},
          // Owner references that block the owner's deletion (admission plugin OwnerReferencesPermissionEnforcement).
          {"reprise.dev", "gpupools/finalizers", {"update"}},
          {"", "nodes", {"patch"}},  // labels of existing ones; the chart's operatorFence keeps it to these
          {"karpenter.sh", "nodepools", {"create", "patch", "delete"}},
          {"karpenter.sh", "nodeoverlays", {"list", "watch", "create", "patch", "delete"}},
          {"karpenter.sh", "nodeclaims", {"delete"}},
          {"",
           "configmaps",
           {"list", "watch", "create", "patch"},
           device_plugin_namespace.empty() ? OwnNamespace : OneNamespace,
           device_plugin_namespace}};
}

}  // namespace reprise::controllers::gpupool
