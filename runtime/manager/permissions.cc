#include "runtime/manager/manager.h"

namespace reprise::runtime {

std::vector<kube::Permission> manager_permissions() {
  return {{"coordination.k8s.io", "leases", {"get", "create", "patch"}, kube::PermissionScope::OwnNamespace},
          // Records an Event in the namespace of its object, and in "default" about a cluster-scoped one.
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
