#include "runtime/manager/manager.h"

namespace reprise::runtime {

std::vector<kube::Permission> manager_permissions() {
  return {{"coordination.k8s.io", "leases", {"get", "create", "patch"}, kube::PermissionScope::OwnNamespace},
          {"events.k8s.io", "events", {"create", "patch"}},
          {"", "/apis", {"get"}},
          {"", "/apis/*", {"get"}}};
}

}  // namespace reprise::runtime
