#include "controllers/gpupool/decide/decide.h"

#include <algorithm>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/fallback/fallback_nodes.h"
#include "controllers/gpupool/limits/cost_limit.h"
#include "controllers/gpupool/limits/gpu_limit.h"
#include "controllers/gpupool/limits/rents_nothing.h"
#include "controllers/gpupool/machines/back_off.h"
#include "controllers/gpupool/machines/drifted_nodes.h"
#include "controllers/gpupool/machines/faulty_nodes.h"
#include "controllers/gpupool/machines/stuck_node_claims.h"
#include "controllers/gpupool/node_pools/device_plugin.h"
#include "controllers/gpupool/node_pools/existing_nodes.h"
#include "controllers/gpupool/node_pools/karpenter_objects.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/gpupool/node_pools/overlays.h"
#include "controllers/gpupool/sharing/preparation.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/gpupool/usage/usage.h"
#include "controllers/gpupool/usage/usage_text.h"
#include "controllers/gpupool/warm/warm_pods.h"
#include "controllers/gpupool/warm/warm_schedules.h"

namespace reprise::controllers::gpupool {
namespace {

std::optional<std::string> unsupported(const api::GpuPoolSpec& spec, const Settings& settings) {
  const auto reject = [](std::string field, std::string instead) {
    return field + ": this version does not act on it; " + instead;
  };
  if (!spec.max_cost_per_hour.empty() && spec.existing_nodes)
    return reject("spec.maxCostPerHour", "existing nodes are rented by somebody else");
  if (auto why = unsupported_warm_gpus(spec, settings)) return why;
  if (auto sharing = sharing_of(spec.sharing).unsupported) return reject(std::move(sharing->field), sharing->instead);
  return std::nullopt;
}

// The obstacle in the way of the pool as a whole.
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

// Says whether jobs find a resource in a blocked pool all the same.
enum class Offer { Served, AsBefore, Nothing };
Offer offer_of(Block by) {
  switch (by) {
    case Block::None:
    case Block::NodePoolNotOwned:
    case Block::KeyNotOwned:
      return Offer::Served;
    case Block::NoKarpenter:  // running jobs keep what they have asked for while Karpenter is away
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

// Plans what the pool is made of, as far as it can be. `in_the_way`: what is waited for, or goes by itself.
Blocked plan_objects(const Observation& seen, const Settings& settings, const std::vector<api::NodeOverlay>& overlays,
                     std::vector<api::NodePool>& wanted, CostLimit& cost_limit, InTheWay& in_the_way, Plan& plan) {
  if (const auto why = unsupported(seen.pool->spec, settings)) return {Block::NotSupported, *why};
  if (auto why = sharing_misfit(seen.pool->spec)) return {Block::InvalidSpec, *std::move(why)};
  auto node_pools = desired_node_pools(*seen.pool, seen.price_table);
  if (!node_pools) return {Block::InvalidSpec, node_pools.error()};
  if (auto why = warm_gpus_misfit(seen.pool->spec)) return {Block::InvalidSpec, *std::move(why)};
  if (auto why = cost_limit_misfit(seen.pool->spec, seen.price_table)) return {Block::InvalidSpec, *std::move(why)};
  wanted = std::move(*node_pools);
  limit_gpus(seen, wanted);
  cost_limit = limit_cost(seen, wanted);
  if (cost_limit.wake_at) plan.wake_by(*cost_limit.wake_at);
  if (!seen.missing_kinds.empty() && !seen.pool->spec.existing_nodes) return no_karpenter(seen);
  std::vector<api::NodePool> held = wanted;
  hold_machines_back(seen, held, plan);
  in_the_way = plan_node_pools(seen, held, plan);
  if (seen.overlays_served) plan_overlays(seen, overlays, plan);
  const std::optional<std::string> foreign_key = plan_device_plugin(seen, plan);
  if (in_the_way.foreign) return {Block::NodePoolNotOwned, *in_the_way.foreign};
  if (foreign_key) return {Block::KeyNotOwned, *foreign_key};
  return {};
}

// Writes nothing on nodes that read a key of the device plugin's before the key is there: a plugin that finds none
// shows no GPUs.
ExistingNodesPlan plan_nodes(const Observation& seen, const Blocked& blocked, Plan& plan) {
  const bool key_is_due = std::ranges::any_of(
      plan.actions, [](const Action& action) { return std::holds_alternative<WriteDevicePluginKey>(action); });
  if (seen.pool->spec.existing_nodes && (blocked.by != Block::None || key_is_due)) return {};
  const kube::StringMap labels = sharing_of(seen.pool->spec.sharing).node_labels;
  ExistingNodesPlan nodes = plan_existing_nodes(seen, seen.pool->spec.existing_nodes ? &labels : nullptr);
  for (LabelNode& change : nodes.changes) plan.actions.emplace_back(std::move(change));
  nodes.changes.clear();
  return nodes;
}

// Leaves warm pods alone while the spec is invalid: the mended spec will say what becomes of them.
void plan_warm(const Observation& seen, const Settings& settings, const Blocked& blocked,
               const std::vector<api::NodePool>& node_pools, Plan& plan) {
  plan.status.warm_gpus = warm_gpus_ready(seen);
  const bool fits = blocked.by != Block::NotSupported && blocked.by != Block::InvalidSpec;
  const WarmSpell spell = fits ? warm_spell(seen.pool->spec, seen.now) : WarmSpell{};
  plan.status.warm_gpus_wanted = spell.gpus;
  plan.status.warm_gpus_until = spell.until;
  if (spell.until) plan.wake_by(*spell.until);
  switch (blocked.by) {
    case Block::None:
    case Block::NodePoolNotOwned:
    case Block::KeyNotOwned:
      // The resource that they ask for is named by the status.
      if (seen.pool->status.resource_name == plan.status.resource_name)
        plan_warm_pods(seen, settings, warm_gpus_beside(seen, spell.gpus, node_pools, plan), plan);
      return;
    case Block::NotSupported:
      plan_warm_pods(seen, settings, {}, plan);
      return;
    case Block::NoKarpenter:
    case Block::InvalidSpec:
      return;
  }
}

// Returns how many are ready.
std::size_t report_node_pools(const Observation& seen, const std::vector<api::NodePool>& wanted, Plan& plan) {
  plan.status.node_pools.clear();
  std::size_t ready = 0;
  for (const api::NodePool& node_pool : wanted) {
    const auto found = seen.node_pools.find(node_pool.meta.name);
    // A NodePool that goes brings no more nodes.
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

// True when the pool's condition has said so before: Events tell a change once.
bool said_before(const Observation& seen, std::string_view type, std::string_view reason) {
  const kube::Condition* before = find_condition(seen.pool->status.conditions, type);
  return before != nullptr && before->reason == reason;
}

void say_blocked(const Observation& seen, std::string_view reason, const std::string& message, ConditionSetter& set,
                 Plan& plan, const char* action = "Validate") {
  set.set_true("Stalled", reason, message);
  set.set_false("Ready", reason, message);
  set.remove("Reconciling");
  if (!said_before(seen, "Stalled", reason)) plan.announcements.push_back({true, std::string(reason), action, message});
}

// Reports single nodes that are not shared as the pool says: the pool may rent others.
void say_not_shared(const Observation& seen, std::string_view reason, const std::string& message, ConditionSetter& set,
                    Plan& plan) {
  set.set_false("SharingConfigured", reason, message);
  if (!said_before(seen, "SharingConfigured", reason))
    plan.announcements.push_back({true, std::string(reason), "Validate", message});
}

bool writes_objects(const Plan& plan) {
  return std::ranges::any_of(plan.actions, [](const Action& action) {
    return !std::holds_alternative<DeleteStuckNodeClaim>(action) &&
           !std::holds_alternative<ReplaceFaultyNode>(action) && !std::holds_alternative<RollNode>(action) &&
           !std::holds_alternative<LabelNode>(action) && !std::holds_alternative<CreateWarmPod>(action) &&
           !std::holds_alternative<DeleteWarmPod>(action);
  });
}

// Reports on a pool that nothing blocks as a whole.
void say_progress(const Observation& seen, std::size_t ready, std::size_t wanted, const OverlayVerdict& overlays,
                  const InTheWay& in_the_way, ConditionSetter& set, Plan& plan) {
  const std::optional<std::string>& going = in_the_way.going;
  const bool synced = !writes_objects(plan) && !going;
  if (going) {
    set.set_false("NodePoolsSynced", "NodePoolTerminating", *going);
  } else if (synced && !in_the_way.running_dry.empty()) {
    constexpr const char* kAction = "LimitNodePool";
    set.set_true("NodePoolsSynced", kRunningDry, in_the_way.running_dry);
    if (!said_before(seen, "NodePoolsSynced", kRunningDry))
      plan.announcements.push_back({true, std::string(kRunningDry), kAction, in_the_way.running_dry});
  } else if (synced) {
    set.set_true("NodePoolsSynced", "Synced", "Karpenter's NodePools are as this pool wants them");
  } else {
    set.set_false("NodePoolsSynced", "Writing", "Karpenter's NodePools are being written");
  }
  if (const auto nothing = rents_nothing(seen)) return say_blocked(seen, nothing->reason, nothing->message, set, plan);
  if (needs_person(overlays.state)) return say_blocked(seen, reason_of(overlays.state), overlays.message, set, plan);
  if (fails_for_good(*seen.pool, plan.status.startup))
    return say_blocked(seen, kDeadlineExceeded, said_of_pauses(seen, plan.status.startup), set, plan);
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

// Reports on single nodes as well: the rest of the pool's offer stays as it is.
void say_nodes_healthy(const Observation& seen, const NodesHealthy& health, ConditionSetter& set, Plan& plan) {
  if (health.reason.empty()) {
    set.remove("NodesHealthy");
  } else if (health.is_healthy) {
    set.set_true("NodesHealthy", health.reason, health.message);
  } else {
    set.set_false("NodesHealthy", health.reason, health.message);
    if (health.needs_person && !said_before(seen, "NodesHealthy", health.reason))
      plan.announcements.push_back({true, std::string(health.reason), "Validate", health.message});
  }
}

// Called after Ready is set.
void roll_nodes(const Observation& seen, const Settings& settings, ConditionSetter& set, Plan& plan) {
  constexpr std::string_view kType = "NodesUpToDate";
  forget_nodes_that_stayed(seen, plan);
  const NodesUpToDate nodes = plan_drifted_nodes(seen, settings, is_true(plan.status.conditions, "Ready"), plan);
  if (nodes.reason.empty()) return set.remove(kType);
  if (nodes.is_up_to_date) plan_fallback_nodes(seen, settings, is_true(plan.status.conditions, "Ready"), plan);
  set.set(kType, nodes.is_up_to_date ? kube::ConditionStatus::True : kube::ConditionStatus::False, nodes.reason,
          nodes.message);
  // Rolling may be held in between as often as its jobs save.
  if (nodes.waits_for_jobs && !said_before(seen, kType, kWaitingForCheckpoint) &&
      !said_before(seen, kType, kRollingHeld))
    plan.announcements.push_back({false, std::string(kWaitingForCheckpoint), "DeleteNodeClaim", nodes.message});
}

void say_capacity_available(const Observation& seen, const Blocked& blocked, const std::string& cost_reached,
                            ConditionSetter& set, Plan& plan) {
  const std::string pauses = said_of_pauses(seen, plan.status.startup);
  if (blocked.by == Block::NoKarpenter) {
    set.set_false("CapacityAvailable", reason_of(blocked.by), blocked.message);
  } else if (const auto nothing = rents_nothing(seen); nothing && nothing->lack == rentable::Lack::Cost) {
    set.set_false("CapacityAvailable", nothing->reason, nothing->message);
  } else if (pauses.empty() && !cost_reached.empty()) {
    set.set_false("CapacityAvailable", "MaxCostReached", cost_reached);
    if (!said_before(seen, "CapacityAvailable", "MaxCostReached"))
      plan.announcements.push_back({true, "MaxCostReached", "LimitCost", cost_reached});
  } else if (pauses.empty()) {
    set.set_true("CapacityAvailable", "NoShortageSeen", "no NodeClaim of this pool is overdue");
  } else {
    set.set_false("CapacityAvailable", kDeadlineExceeded, pauses);
  }
}

void say_sharing(const Observation& seen, const Blocked& blocked, const OverlayVerdict& overlays,
                 const ExistingNodesPlan& nodes, ConditionSetter& set, Plan& plan) {
  if (offer_of(blocked.by) != Offer::Served || blocked.by == Block::KeyNotOwned) {
    set.set_false("SharingConfigured", reason_of(blocked.by), blocked.message);
  } else if (overlays.state != OverlayState::InUse) {
    set.set_false("SharingConfigured", reason_of(overlays.state), overlays.message);
  } else if (const std::string failed = failed_preparations(seen.pool->spec.sharing, seen.nodes); !failed.empty()) {
    say_not_shared(seen, "NodeSharingFailed", failed, set, plan);
  } else if (const auto* lack = lacks_units(*seen.pool, plan.status.startup)) {
    say_not_shared(seen, "NodeSharingFailed",
                   "nodes do not offer " + std::string(plan.status.resource_name) + ": " + lack->message, set, plan);
  } else if (const NotShared held = not_shared(nodes); held.waits) {
    set.set_false("SharingConfigured", held.reason, held.message);
  } else if (!held.reason.empty()) {
    say_not_shared(seen, held.reason, held.message, set, plan);
  } else if (const std::string missing = missing_units(*seen.pool, seen.nodes); !missing.empty()) {
    say_not_shared(seen, "UnitsMissing", missing, set, plan);
  } else {
    set.set_true("SharingConfigured", "Configured",
                 description_of(sharing_of(seen.pool->spec.sharing), std::string(plan.status.resource_name)));
  }
}

}  // namespace

void show_rejection(const Observation& seen, std::string_view reason, const std::string& message, Plan& plan) {
  ConditionSetter set(plan.status.conditions, seen.pool->status.conditions, seen.pool->meta.generation, seen.now);
  say_blocked(seen, reason, message, set, plan, "Write");
  set.set_false("NodePoolsSynced", reason, message);
  if (const auto unwritten = said_of_unwritten_pause(seen, plan.status.startup, message); !unwritten.empty())
    set.set_false("CapacityAvailable", kDeadlineExceeded, unwritten);
}

Plan decide(const Observation& seen, const Settings& settings) {
  Plan plan{.actions = {}, .status = seen.pool->status, .announcements = {}, .still_refused = {}, .wake_at = {}};
  api::GpuPoolStatus& status = plan.status;
  if (seen.pool->meta.deletion_timestamp) return plan;  // owner references take the NodePools along
  status.observed_generation = seen.pool->meta.generation;
  ConditionSetter set(status.conditions, seen.pool->meta.generation, seen.now);
  report(seen, plan);

  const std::vector<const api::NodeClaim*> overdue = overdue_node_claims(seen, plan);
  remember_machines(seen, settings.is_every_pod_seen, overdue, plan);
  const std::vector<api::NodeOverlay> overlays = desired_overlays(*seen.pool);
  std::vector<api::NodePool> wanted;
  CostLimit cost_limit;
  InTheWay in_the_way;
  const Blocked blocked = plan_objects(seen, settings, overlays, wanted, cost_limit, in_the_way, plan);
  const Offer offer = offer_of(blocked.by);
  if (offer == Offer::Served) status.resource_name = sharing_of(seen.pool->spec.sharing).resource_name;
  if (offer == Offer::Nothing) status.resource_name = "";
  status.usage = offer == Offer::Served ? usage_text(*seen.pool) : std::string();
  const bool existing = seen.pool->spec.existing_nodes.has_value();
  plan_warm(seen, settings, blocked, wanted, plan);
  const ExistingNodesPlan nodes = plan_nodes(seen, blocked, plan);
  end_overdue(overdue, plan);  // after the limits that keep others from coming in their place
  say_nodes_healthy(seen, plan_faulty_nodes(seen, offer == Offer::Served, plan), set, plan);
  const std::size_t ready = report_node_pools(seen, wanted, plan);

  const OverlayVerdict sharing = offer == Offer::Served ? judge_overlays(seen, overlays) : OverlayVerdict{};
  if (sharing.wake_at) plan.wake_by(*sharing.wake_at);
  if (blocked.by == Block::None && existing) {
    say_existing_nodes(nodes, writes_objects(plan), set);
    if (!nodes.taken_by_pool.empty() && !said_before(seen, "CapacityAvailable", kNodeOfAnotherPool))
      plan.announcements.push_back({true, std::string(kNodeOfAnotherPool), "Validate", nodes.taken_by_pool});
  } else if (blocked.by == Block::None) {
    say_progress(seen, ready, wanted.size(), sharing, in_the_way, set, plan);
  } else {
    set.set_false("NodePoolsSynced", reason_of(blocked.by), blocked.message);
    say_blocked(seen, reason_of(blocked.by), blocked.message, set, plan);
  }
  say_sharing(seen, blocked, sharing, nodes, set, plan);
  roll_nodes(seen, settings, set, plan);
  if (existing && blocked.by == Block::None) return plan;  // say_existing_nodes has said it
  say_capacity_available(seen, blocked, cost_limit.reached, set, plan);
  return plan;
}

}  // namespace reprise::controllers::gpupool
