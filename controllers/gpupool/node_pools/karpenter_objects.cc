#include "controllers/gpupool/node_pools/karpenter_objects.h"

#include <algorithm>
#include <set>
#include <string>

#include "controllers/common/job_of.h"
#include "controllers/gpupool/limits/cost_limit.h"
#include "controllers/gpupool/limits/gpu_limit.h"
#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/machines/own_node_claim.h"
#include "controllers/gpupool/node_pools/overlays.h"
#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::gpupool {
namespace {

// One of two NodePools may have more, or be there at all, once the other one has been seen to have less: they share
// what the pool may cost.
void lower_limits_first(const Observation& seen, Plan& plan) {
  if (seen.pool->spec.max_cost_per_hour.empty()) return;
  const auto is_update = [](const Action& action, bool lowering) {
    const auto* update = std::get_if<UpdateNodePool>(&action);
    return update != nullptr && lowers_limit(update->current.spec.limits, update->wanted.spec.limits) == lowering;
  };
  if (std::ranges::none_of(plan.actions, [&](const Action& each) { return is_update(each, true); })) return;
  std::erase_if(plan.actions, [&](const Action& each) {
    return is_update(each, false) || std::holds_alternative<CreateNodePool>(each);
  });
}

bool has_machines(const Observation& seen, std::string_view node_pool) {
  return std::ranges::any_of(seen.node_claims, [&](const auto& claim) {
    return claim->meta.label(kNodePoolLabel) == node_pool && is_own(seen, *claim);
  });
}

// The users of GPUs on its nodes, "ResumableJob team/fit"; each once, in order.
std::set<std::string> users_of(const Observation& seen, std::string_view node_pool) {
  std::set<std::string_view> nodes;
  for (const auto& claim : seen.node_claims)
    if (claim->meta.label(kNodePoolLabel) == node_pool && is_own(seen, *claim)) nodes.insert(claim->node_name);
  std::set<std::string> users;
  for (const auto& pod : seen.pods) {
    if (has_ended(*pod) || pod->resource_requests.empty() || !nodes.contains(pod->node_name)) continue;
    const kube::OwnerReference* job = controlling_job(pod->meta);
    const std::string ns = std::string(pod->meta.namespace_) + "/";
    users.insert(job != nullptr ? "ResumableJob " + ns + std::string(job->name)
                                : "pod " + ns + std::string(pod->meta.name));
  }
  return users;
}

std::string said_of_dry(const Observation& seen, std::string_view node_pool) {
  constexpr std::size_t kNamed = 10;
  const std::set<std::string> users = users_of(seen, node_pool);
  std::string text =
      "NodePool " + std::string(node_pool) +
      ": spec.capacity has its type no more; it rents no further machine and goes with its last one. There ";
  if (users.empty()) return text + "runs nothing that uses a GPU";
  text += "run ";
  std::size_t named = 0;
  for (const std::string& user : users) {
    if (named == kNamed) break;
    text += (named++ == 0 ? "" : ", ") + user;
  }
  if (users.size() > kNamed) text += " and " + std::to_string(users.size() - kNamed) + " more";
  return text;
}

// Deleting a NodePool ends its machines at once, with whatever runs there.
void let_run_dry(const Observation& seen, const api::NodePool& existing, InTheWay& in_the_way, Plan& plan) {
  api::NodePool dry = existing;
  dry.spec.limits[sharing_of(seen.pool->spec.sharing).resource_name] = "0";
  dry.spec.limits[std::string(kNodesLimit)] = "0";
  if (existing.spec != dry.spec) plan.actions.emplace_back(UpdateNodePool{dry, existing});
  in_the_way.running_dry += (in_the_way.running_dry.empty() ? "" : ". ") + said_of_dry(seen, existing.meta.name);
}

}  // namespace

InTheWay plan_node_pools(const Observation& seen, const std::vector<api::NodePool>& wanted, Plan& plan) {
  InTheWay in_the_way;
  for (const api::NodePool& node_pool : wanted) {
    const auto found = seen.node_pools.find(node_pool.meta.name);
    if (found == seen.node_pools.end()) {
      plan.actions.emplace_back(CreateNodePool{node_pool});
    } else if (found->second->meta.deletion_timestamp) {
      in_the_way.going = "NodePool " + node_pool.meta.name +
                         " is being deleted, with the nodes that it stands for; a new one is made when it is gone";
    } else if (!owned_by(found->second->meta, *seen.pool)) {
      in_the_way.foreign =
          "NodePool " + node_pool.meta.name + " exists and is not this pool's; rename the GpuPool or remove it";
    } else if (found->second->spec != node_pool.spec) {
      plan.actions.emplace_back(UpdateNodePool{node_pool, *found->second});
    }
  }
  for (const auto& [name, existing] : seen.node_pools) {
    const bool kept = std::ranges::any_of(wanted, [&](const auto& w) { return w.meta.name == name; });
    if (kept || !owned_by(existing->meta, *seen.pool) || existing->meta.deletion_timestamp) continue;
    if (has_machines(seen, name)) {
      let_run_dry(seen, *existing, in_the_way, plan);
    } else {
      plan.actions.emplace_back(DeleteNodePool{name, existing->meta.uid});
    }
  }
  lower_limits_first(seen, plan);
  return in_the_way;
}

void plan_overlays(const Observation& seen, const std::vector<api::NodeOverlay>& wanted, Plan& plan) {
  for (const api::NodeOverlay& overlay : wanted) {
    const auto found =
        std::ranges::find_if(seen.overlays, [&](const auto& o) { return o->meta.name == overlay.meta.name; });
    if (found == seen.overlays.end()) {
      plan.actions.emplace_back(CreateOverlay{overlay});
    } else if (owned_by((*found)->meta, *seen.pool) && (*found)->spec != overlay.spec) {
      plan.actions.emplace_back(UpdateOverlay{overlay, **found});
    }
  }
  for (const auto& existing : seen.overlays) {
    const bool kept = std::ranges::any_of(wanted, [&](const auto& w) { return w.meta.name == existing->meta.name; });
    if (!kept && owned_by(existing->meta, *seen.pool) && !existing->meta.deletion_timestamp) {
      plan.actions.emplace_back(DeleteOverlay{existing->meta.name, existing->meta.uid});
    }
  }
}

}  // namespace reprise::controllers::gpupool
