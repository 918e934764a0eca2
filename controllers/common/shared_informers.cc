#include "controllers/common/shared_informers.h"

#include <algorithm>

#include "controllers/common/do_not_disrupt.h"
#include "controllers/common/indexes.h"
#include "runtime/manager/watches.h"

namespace reprise::controllers {

using runtime::ObjectKey;

SharedInformers::SharedInformers(runtime::Manager& manager)
    : jobs(manager.add_informer<api::ResumableJob>()),
      pools(manager.add_informer<api::GpuPool>()),
      pods(manager.add_informer<kube::Pod>({.kept_keys = {kOwnKeys, kDoNotDisruptAnnotation}})),
      nodes(manager.add_informer<kube::Node>()),
      node_claims(manager.add_informer<api::NodeClaim>({.optional = true})),
      node_pools(manager.add_informer<api::NodePool>({.optional = true})),
      namespaces(manager.add_informer<kube::Namespace>()) {
  jobs.store().add_index(kByPool, [](const api::ResumableJob& job) { return one(job.spec.pool_name); });
  pods.store().add_index(kByNode, [](const kube::Pod& pod) { return one(pod.node_name); });
  nodes.store().add_index(kByPool, pool_label<kube::Node>);
  node_claims.store().add_index(kByPool, pool_label<api::NodeClaim>);
  node_claims.store().add_index(kByNode, [](const api::NodeClaim& claim) { return one(claim.node_name); });
  node_pools.store().add_index(kByPool, [](const api::NodePool& pool) { return pools_of(pool.meta); });
}

std::vector<kube::Permission> shared_permissions() {
  const std::vector<std::string> read = {"get", "list", "watch"};
  return {{"reprise.dev", "gpupools", {"list", "watch"}},
          {"reprise.dev", "resumablejobs", read, kube::PermissionScope::WatchedNamespaces},
          {"", "pods", read, kube::PermissionScope::WatchedNamespaces},
          {"", "nodes", read},
          {"", "namespaces", {"list", "watch"}},
          {"karpenter.sh", "nodeclaims", read},
          {"karpenter.sh", "nodepools", read}};
}

std::vector<std::string> one(std::string_view value) {
  return value.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::string(value)};
}

std::vector<ObjectKey> keyed(std::string_view ns, std::string_view name) {
  if (name.empty()) return {};
  return {ObjectKey{std::string(ns), std::string(name)}};
}

std::vector<std::string> pools_of(const kube::ObjectMeta& meta) {
  std::vector<std::string> names = one(meta.label(kPoolLabel));
  for (const ObjectKey& owner : runtime::OwnerOf<api::GpuPool>{}(meta)) {
    if (std::ranges::find(names, owner.name) == names.end()) names.push_back(owner.name);
  }
  return names;
}

}  // namespace reprise::controllers
