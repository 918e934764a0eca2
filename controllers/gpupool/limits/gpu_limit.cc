#include "controllers/gpupool/limits/gpu_limit.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "controllers/gpupool/machines/rented.h"
#include "controllers/gpupool/machines/stuck_node_claims.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/gpupool/providers/machine_types.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/prices/dearest_gpu.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::gpupool {
namespace {

// The name by which Karpenter and its providers call a whole GPU.
constexpr std::string_view kWholeGpu = "nvidia.com/gpu";

// The GPUs of a machine; 0: nobody knows. The provider has said it of a machine that was launched.
std::int64_t gpus_of(const api::NodeClaim& claim) {
  const auto known = gpus_of_type(claim.meta.label("node.kubernetes.io/instance-type"));
  const auto said = claim.capacity.find(kWholeGpu);
  const std::int64_t whole = said == claim.capacity.end() ? 0 : kube::whole_number(said->second).value_or(0);
  return std::max<std::int64_t>(known.value_or(0), whole);
}

// Labels by which NVIDIA's programs know how a machine is shared. The NodePool's template puts them on its NodeClaims.
constexpr std::array<std::string_view, 2> kLabelsOfSharing{kDevicePluginConfigLabel, "nvidia.com/mig.config"};

bool bears_labels_of(const GpuSharing& sharing, const api::NodeClaim& claim) {
  return std::ranges::all_of(kLabelsOfSharing, [&](std::string_view label) {
    const auto wanted = sharing.node_labels.find(label);
    return wanted == sharing.node_labels.end() ? claim.meta.label(label).empty()
                                               : claim.meta.label(label) == wanted->second;
  });
}

class Machines {
 public:
  explicit Machines(const Observation& seen) : nodes_(seen) {
    for (const auto& claim : seen.node_claims)
      if (is_rented(seen, *claim) && is_launched(*claim)) claims_.push_back(claim.get());
  }

  // The quantity of the sharing's resource that machines which came by another sharing offer beyond what their GPUs
  // would have.
  [[nodiscard]] std::int64_t surplus(std::string_view node_pool, const GpuSharing& sharing) const {
    std::int64_t more = 0;
    for (const api::NodeClaim* claim : claims_) {
      if (claim->meta.label("karpenter.sh/nodepool") != node_pool) continue;
      const std::int64_t gpus = gpus_of(*claim);
      const std::int64_t offered = quantity_rented(*claim, nodes_.of(*claim), sharing.resource_name);
      const bool counts_by_itself = bears_labels_of(sharing, *claim) && (offered > 0 || !is_initialized(*claim));
      if (gpus > 0 && !counts_by_itself) more += offered - sharing.quantity_of(gpus);
    }
    return more;
  }

  // As many nodes as there are, and as many more as fit into the GPUs that are left, if they are of the smallest kind.
  [[nodiscard]] std::int64_t most_nodes(std::string_view node_pool, std::int64_t max_gpus, std::int64_t fewest) const {
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;
    for (const api::NodeClaim* claim : claims_) {
      if (claim->meta.label("karpenter.sh/nodepool") != node_pool) continue;
      ++nodes;
      gpus += std::max(gpus_of(*claim), fewest);
    }
    return nodes + std::max<std::int64_t>(max_gpus - gpus, 0) / fewest;
  }

  [[nodiscard]] std::int64_t offered(std::string_view node_pool, std::string_view resource) const {
    std::int64_t all = 0;
    for (const api::NodeClaim* claim : claims_)
      if (claim->meta.label("karpenter.sh/nodepool") == node_pool)
        all += quantity_rented(*claim, nodes_.of(*claim), resource);
    return all;
  }

 private:
  NodesOfClaims nodes_;
  std::vector<const api::NodeClaim*> claims_;
};

// Keeps the limit of a former sharing until its last machine has gone: Karpenter may be about to rent by it. It may
// have been lowered, in a pause or while its type was left out: below what is there Karpenter would rent nothing at
// all, by whatever resource.
void keep_former_limits(const Observation& seen, const Machines& machines, std::int64_t max_gpus,
                        api::NodePool& node_pool) {
  const auto before = seen.node_pools.find(node_pool.meta.name);
  if (before == seen.node_pools.end()) return;
  for (const auto& [resource, limit] : before->second->spec.limits) {
    const std::int64_t there = machines.offered(node_pool.meta.name, resource);
    if (node_pool.spec.limits.contains(resource) || there == 0) continue;
    const std::int64_t most =
        resource == kWholeGpu ? max_gpus : std::max(kube::whole_number(limit).value_or(there), there);
    node_pool.spec.limits[resource] = quantity_text(most);
  }
}

}  // namespace

void limit_gpus(const Observation& seen, std::vector<api::NodePool>& node_pools) {
  const api::GpuPoolSpec& spec = seen.pool->spec;
  const GpuSharing sharing = sharing_of(spec.sharing);
  const Machines machines(seen);
  const std::int64_t fewest = prices::gpus_of_machines(spec).front();
  for (std::size_t i = 0; i < spec.capacity.size() && i < node_pools.size(); ++i) {
    const auto& max_gpus = spec.capacity[i].max_gpus;
    if (!max_gpus) continue;
    api::NodePool& node_pool = node_pools[i];
    const std::int64_t limit = sharing.quantity_of(*max_gpus) + machines.surplus(node_pool.meta.name, sharing);
    node_pool.spec.limits[sharing.resource_name] = quantity_text(std::max<std::int64_t>(limit, 0));
    if (sharing.needs_overlay)
      node_pool.spec.limits[std::string(kNodesLimit)] =
          quantity_text(machines.most_nodes(node_pool.meta.name, *max_gpus, fewest));
    keep_former_limits(seen, machines, *max_gpus, node_pool);
  }
}

}  // namespace reprise::controllers::gpupool
