#include "apps/kubectl-reprise/why/reading/read_objects.h"

namespace reprise::plugin::why {

void put(std::string_view kind, const boost::json::value& object, Objects& into) {
  if (kind == "ResumableJob") into.job = read_job(object);
  if (kind == "GpuPool") into.pool = read_pool(object);
  if (kind == "Pod") into.pods.push_back(read_pod(object));
  if (kind == "PersistentVolumeClaim") into.claims.push_back(read_claim(object));
  if (kind == "StorageClass") into.storage_classes.push_back(read_storage_class(object));
  if (kind == "Event") into.events.push_back(read_event(object));
  if (kind == "Node") into.nodes.push_back(read_node(object));
  if (kind == "NodeClaim") into.node_claims.push_back(read_node_claim(object));
  if (kind == "NodePool") into.node_pools.push_back(read_node_pool(object));
  if (kind == "ResourceQuota") into.quotas.push_back(read_quota(object));
  if (kind == "Deployment") into.deployments.push_back(read_deployment(object));
  if (kind == "Lease") into.leases.push_back(read_lease(object));
}

}  // namespace reprise::plugin::why
