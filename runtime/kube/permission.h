// A program's permission on the API server: a rule of a Role or ClusterRole, for one resource.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reprise::kube {

enum class PermissionScope {
  Cluster,
  OwnNamespace,
  WatchedNamespaces,  // the namespaces that the program follows and writes to; all unless it is given some
  DefaultNamespace,   // "default", where Events about cluster-scoped objects are
  OneNamespace,       // the permission's own
};

struct Permission {
  std::string api_group;  // empty: the core group
  std::string resource;   // "pods", "pods/status"; a path ("/apis/*") where it is no resource
  std::vector<std::string> verbs;
  PermissionScope scope = PermissionScope::Cluster;
  std::string namespace_ = {};  // for OneNamespace
};

// The permissions of a program that watches these namespaces alone, OneNamespace each; empty: all, so that
// WatchedNamespaces are then the whole cluster. DefaultNamespace is OneNamespace either way, or left out where the
// whole cluster has it.
[[nodiscard]] std::vector<Permission> narrowed(const std::vector<Permission>& permissions,
                                               const std::vector<std::string>& watched);

// One entry per group, resource and scope, with the verbs of all; sorted.
[[nodiscard]] std::vector<Permission> merged(std::vector<Permission> permissions);

// A line each, as `kubectl auth can-i --list` has them: SCOPE, RESOURCE with its group ("leases.coordination.k8s.io"),
// VERBS. SCOPE is "cluster", "namespace" for the program's own, or "namespace/NAME".
[[nodiscard]] std::string as_table(const std::vector<Permission>& permissions);

}  // namespace reprise::kube
