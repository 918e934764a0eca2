#include "runtime/manager/manager.h"

namespace reprise::runtime {

std::vector<kube::Permission> manager_permissions() {
  return {{"coordination.k8s.io", "leases", {"get", "create", "patch"}, kube::PermissionScope::OwnNamespace},
          // About an object where it is; about a cluster-scoped one in "default".
          {"events.k8s.io", "events", {"create", "patch"}, kube::PermissionScope::WatchedNamespaces},
          {"events.k8s.io", "events", {"create", "patch"}, kube::PermissionScope::DefaultNamespace},
          {"", "/apis", {"get"}},
          {"", "/apis/*", {"get"}}};
}

std::vector<kube::Permission> secure_metrics_permissions() {
  return {{"authentication.k8s.io", "tokenreviews", {"create"}},
          {"authorization.k8s.io", "subjectaccessreviews", {"create"}}};
}

}  // namespace reprise::runtime
