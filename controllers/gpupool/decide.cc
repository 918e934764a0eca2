#include "controllers/gpupool/decide.h"

#include <algorithm>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/node_pools.h"
#include "controllers/gpupool/overlays.h"
#include "controllers/gpupool/sharing/preparation.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/gpupool/stuck_node_claims.h"
#include "controllers/gpupool/usage.h"

namespace reprise::controllers::gpupool {
namespace {

std::optional<std::string> unsupported(const api::GpuPoolSpec& spec) {
  const auto reject = [](std::string field, std::string instead) {
    return field + ": this version does not act on it; " + instead;
  };
  if (spec.existing_nodes) return reject("spec.existingNodes", "use spec.nodeClassRef");
  if (!spec.max_cost_per_hour.empty())
    return reject("spec.maxCostPerHour", "bound the pool by spec.capacity[].maxGpus");
  if (spec.warm_gpus > 0) return reject("spec.warm.gpus: found " + std::to_string(spec.warm_gpus), "must be 0");
  if (auto sharing = sharing_of(spec.sharing).unsupported) return reject(std::move(sharing->field), sharing->instead);
  return std::nullopt;
}

// What stands in the way of the pool as a whole.
enum class Block { None, NotSupported, InvalidSpec, NoKarpenter, NodePoolNotOwned, KeyNotOwned };
struct Blocked {
  Block by = Block::None;
  std::string message = {};
};

std::string_view reason_of(Block by) {
  switch (by) {
    case Block::None:
      return {};
    case Block::NotSupported:
      return "NotSupported";
    case Block::InvalidSpec:
      return "InvalidSpec";
    case Block::NoKarpenter:
      return "KarpenterNotInstalled";
    case Block::NodePoolNotOwned:
      return "NodePoolNotOwned";
    case Block::KeyNotOwned:
      return "DevicePluginKeyNotOwned";
  }
  return {};
}

// Whether jobs find a resource in it all the same.
enum class Offer { Served, AsBefore, Nothing };
Offer offer_of(Block by) {
  switch (by) {
    case Block::None:
    case Block::NodePoolNotOwned:
    case Block::KeyNotOwned:
      return Offer::Served;
    case Block::NoKarpenter:  // what running jobs have asked for stays what it is while Karpenter is away
      return Offer::AsBefore;
    case Block::NotSupported:
    case Block::InvalidSpec:
      return Offer::Nothing;
  }
  return Offer::Nothing;
}

Blocked no_karpenter(const Observation& seen) {
  return {Block::NoKarpenter,
          "the cluster does not serve " + seen.missing_kinds +
              "; install Karpenter 1.0 or later with its CRDs, nothing needs a restart. Jobs without "
              "spec.poolName run without it"};
}

// Nothing of either where all is synced or on its way.
struct InTheWay {
  std::optional<std::string> foreign = {}, going = {};
};

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
    if (!kept && owned_by(existing->meta, *seen.pool) && !existing->meta.deletion_timestamp) {
      plan.actions.emplace_back(DeleteNodePool{name, existing->meta.uid});
    }
  }
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

// Returns what stands in the way.
std::optional<std::string> plan_device_plugin(const Observation& seen, Plan& plan) {
  const std::optional<DevicePluginConfig> wanted = sharing_of(seen.pool->spec.sharing).device_plugin;
  if (!wanted) return std::nullopt;
  const auto& [key, content] = *wanted;
  WriteDevicePluginKey write{device_plugin_config_map(*seen.pool), key, content, !seen.device_plugin_config, {}};
  if (seen.device_plugin_config) {
    const kube::ConfigMap& map = *seen.device_plugin_config;
    const auto found = map.data.find(key);
    if (found != map.data.end() && found->second == content) return std::nullopt;
    // Other nodes may read it.
    if (found != map.data.end() && map.meta.label("app.kubernetes.io/managed-by") != "reprise") {
      return "ConfigMap " + write.config_map + " has a key " + key +
             " with another content, and the map is not this operator's; remove the key or name another map in "
             "spec.devicePluginConfigMapRef";
    }
    write.resource_version = map.meta.resource_version;
  }
  plan.actions.emplace_back(std::move(write));
  return std::nullopt;
}

std::string used_of_total(const api::GpuPoolStatus& status) {
  std::int32_t used = 0;
  std::int32_t total = 0;
  for (const api::CapacityStatus& capacity : status.capacity) {
    used += capacity.gpus_used;
    total += capacity.gpus;
  }
  return std::to_string(used) + "/" + std::to_string(total);
}

void report(const Observation& seen, Plan& plan) {
  const Usage usage = measure(seen);
  api::GpuPoolStatus& status = plan.status;
  status.capacity = usage.capacity;
  status.units = usage.units;
  status.cost = usage.cost;
  const GpuSharing sharing = sharing_of(seen.pool->spec.sharing);
  status.isolation = sharing.isolation;
  status.sharing = sharing.summary;
  status.gpus = used_of_total(status);
  status.jobs = seen.jobs.unfinished;
  status.interruptions.total = std::max(status.interruptions.total, seen.jobs.interruptions);
  if (seen.jobs.last_interruption &&
      (!status.interruptions.last_time || *status.interruptions.last_time < *seen.jobs.last_interruption)) {
    status.interruptions.last_time = seen.jobs.last_interruption;
  }
}

// Plans what the pool is made of, as far as it can be. `going`: what is waited for.
Blocked plan_objects(const Observation& seen, const std::vector<api::NodeOverlay>& overlays,
                     std::vector<api::NodePool>& wanted, std::optional<std::string>& going, Plan& plan) {
  if (const auto why = unsupported(seen.pool->spec)) return {Block::NotSupported, *why};
  if (auto why = sharing_misfit(seen.pool->spec)) return {Block::InvalidSpec, *std::move(why)};
  auto node_pools = desired_node_pools(*seen.pool);
  if (!node_pools) return {Block::InvalidSpec, node_pools.error()};
  wanted = std::move(*node_pools);
  if (!seen.missing_kinds.empty()) return no_karpenter(seen);
  InTheWay in_the_way = plan_node_pools(seen, wanted, plan);
  going = std::move(in_the_way.going);
  if (seen.overlays_served) plan_overlays(seen, overlays, plan);
  const std::optional<std::string> foreign_key = plan_device_plugin(seen, plan);
  if (in_the_way.foreign) return {Block::NodePoolNotOwned, *std::move(in_the_way.foreign)};
  if (foreign_key) return {Block::KeyNotOwned, *foreign_key};
  return {};
}

// How many are ready.
std::size_t report_node_pools(const Observation& seen, const std::vector<api::NodePool>& wanted, Plan& plan) {
  plan.status.node_pools.clear();
  std::size_t ready = 0;
  for (const api::NodePool& node_pool : wanted) {
    const auto found = seen.node_pools.find(node_pool.meta.name);
    // Out of one that goes no node comes any more.
    const bool stands = found != seen.node_pools.end() && owned_by(found->second->meta, *seen.pool) &&
                        !found->second->meta.deletion_timestamp;
    const kube::PodCondition* condition = stands ? found->second->condition("Ready") : nullptr;
    const bool is_ready = condition != nullptr && condition->status == "True";
    if (is_ready) ++ready;
    const std::string_view label = node_pool.spec.requirements.front().values.front();
    plan.status.node_pools.push_back({node_pool.meta.name,
                                      label == "spot"        ? api::CapacityType::Spot
                                      : label == "on-demand" ? api::CapacityType::OnDemand
                                                             : api::CapacityType::Reserved,
                                      is_ready});
  }
  return ready;
}

// Whether the pool's condition has said so before: for Events, which tell a change once.
bool said_before(const Observation& seen, std::string_view type, std::string_view reason) {
  const kube::Condition* before = find_condition(seen.pool->status.conditions, type);
  return before != nullptr && before->reason == reason;
}

void say_blocked(const Observation& seen, std::string_view reason, const std::string& message, ConditionSetter& set,
                 Plan& plan) {
  set.set_true("Stalled", reason, message);
  set.set_false("Ready", reason, message);
  set.remove("Reconciling");
  if (!said_before(seen, "Stalled", reason))
    plan.announcements.push_back({true, std::string(reason), "Validate", message});
}

// Of single nodes: the pool may rent others.
void say_not_shared(const Observation& seen, std::string_view reason, const std::string& message, ConditionSetter& set,
                    Plan& plan) {
  set.set_false("SharingConfigured", reason, message);
  if (!said_before(seen, "SharingConfigured", reason))
    plan.announcements.push_back({true, std::string(reason), "Validate", message});
}

bool writes_objects(const Plan& plan) {
  return std::ranges::any_of(
      plan.actions, [](const Action& action) { return !std::holds_alternative<DeleteStuckNodeClaim>(action); });
}

// Of a pool that nothing blocks as a whole.
void say_progress(const Observation& seen, std::size_t ready, std::size_t wanted, const OverlayVerdict& overlays,
                  const std::optional<std::string>& going, ConditionSetter& set, Plan& plan) {
  const bool synced = !writes_objects(plan) && !going;
  if (going) {
    set.set_false("NodePoolsSynced", "NodePoolTerminating", *going);
  } else if (synced) {
    set.set_true("NodePoolsSynced", "Synced", "Karpenter's NodePools are as this pool wants them");
  } else {
    set.set_false("NodePoolsSynced", "Writing", "Karpenter's NodePools are being written");
  }
  if (needs_person(overlays.state)) return say_blocked(seen, reason_of(overlays.state), overlays.message, set, plan);
  set.set_false("Stalled", "Progressing", "nothing blocks the pool");
  if (going) {
    set.set_false("Ready", "NodePoolTerminating", *going);
    set.set_true("Reconciling", "NodePoolTerminating", *going);
    return;
  }
  const std::string counted = std::to_string(ready) + " of " + std::to_string(wanted) + " NodePools are ready";
  const bool in_use = overlays.state == OverlayState::InUse;
  if (synced && ready == wanted && in_use) {
    set.set_true("Ready", "Ready", counted);
    set.remove("Reconciling");
    return;
  }
  const bool waits = synced && ready < wanted;
  const std::string message = waits || in_use ? counted : counted + "; " + overlays.message;
  set.set_false("Ready", waits ? "NodePoolsNotReady" : "Writing", message);
  set.set_true("Reconciling", "Writing", message);
}

}  // namespace

std::string device_plugin_config_map(const api::GpuPool& pool) {
  return pool.spec.device_plugin_config_map_ref ? pool.spec.device_plugin_config_map_ref->name
                                                : std::string(kDefaultConfigMap);
}

std::vector<std::string> unused_device_plugin_keys(const kube::ConfigMap& config_map,
                                                   const std::vector<std::shared_ptr<const api::GpuPool>>& pools) {
  std::vector<std::string> unused;
  for (const DevicePluginConfig& ours : all_device_plugin_configs()) {
    const auto found = config_map.data.find(ours.key);
    if (found == config_map.data.end() || found->second != ours.content) continue;
    const bool needed = std::ranges::any_of(pools, [&](const auto& pool) {
      return !pool->meta.deletion_timestamp && sharing_of(pool->spec.sharing).device_plugin == ours;
    });
    if (!needed) unused.push_back(ours.key);
  }
  return unused;
}

bool is_read(const std::string& key, const std::vector<std::shared_ptr<const kube::Node>>& nodes) {
  return std::ranges::any_of(nodes,
                             [&](const auto& node) { return node->meta.label(kDevicePluginConfigLabel) == key; });
}

void show_rejection(const Observation& seen, std::string_view reason, const std::string& message, Plan& plan) {
  ConditionSetter set(plan.status.conditions, seen.pool->status.conditions, seen.pool->meta.generation, seen.now);
  if (!said_before(seen, "Stalled", reason))
    plan.announcements.push_back({true, std::string(reason), "Write", message});
  set.set_true("Stalled", reason, message);
  set.set_false("NodePoolsSynced", reason, message);
  set.set_false("Ready", reason, message);
  set.remove("Reconciling");
}

Plan decide(const Observation& seen) {
  Plan plan{.actions = {}, .status = seen.pool->status, .announcements = {}, .wake_at = {}};
  api::GpuPoolStatus& status = plan.status;
  if (seen.pool->meta.deletion_timestamp) return plan;  // owner references take the NodePools along
  status.observed_generation = seen.pool->meta.generation;
  ConditionSetter set(status.conditions, seen.pool->meta.generation, seen.now);
  report(seen, plan);

  const std::vector<api::NodeOverlay> overlays = desired_overlays(*seen.pool);
  std::vector<api::NodePool> wanted;
  std::optional<std::string> going;
  const Blocked blocked = plan_objects(seen, overlays, wanted, going, plan);
  const Offer offer = offer_of(blocked.by);
  if (offer == Offer::Served) status.resource_name = sharing_of(seen.pool->spec.sharing).resource_name;
  if (offer == Offer::Nothing) status.resource_name = "";
  const std::string stuck = plan_stuck_node_claims(seen, plan);
  const std::size_t ready = report_node_pools(seen, wanted, plan);

  const OverlayVerdict sharing = offer == Offer::Served ? judge_overlays(seen, overlays) : OverlayVerdict{};
  if (sharing.wake_at) plan.wake_by(*sharing.wake_at);
  if (blocked.by == Block::None) {
    say_progress(seen, ready, wanted.size(), sharing, going, set, plan);
  } else {
    set.set_false("NodePoolsSynced", reason_of(blocked.by), blocked.message);
    say_blocked(seen, reason_of(blocked.by), blocked.message, set, plan);
  }
  if (offer != Offer::Served || blocked.by == Block::KeyNotOwned) {
    set.set_false("SharingConfigured", reason_of(blocked.by), blocked.message);
  } else if (sharing.state != OverlayState::InUse) {
    set.set_false("SharingConfigured", reason_of(sharing.state), sharing.message);
  } else if (const std::string failed = failed_preparations(seen.pool->spec.sharing, seen.nodes); !failed.empty()) {
    say_not_shared(seen, "NodeSharingFailed", failed, set, plan);
  } else {
    set.set_true("SharingConfigured", "Configured",
                 "pods request " + status.resource_name + "; jobs write reprise.dev/gpu");
  }
  if (blocked.by == Block::NoKarpenter) {
    set.set_false("CapacityAvailable", reason_of(blocked.by), blocked.message);
  } else if (stuck.empty()) {
    set.set_true("CapacityAvailable", "NoShortageSeen", "no NodeClaim of this pool is overdue");
  } else {
    set.set_false("CapacityAvailable", "InitializationDeadlineExceeded", stuck);
  }
  return plan;
}

}  // namespace reprise::controllers::gpupool
