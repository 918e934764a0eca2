#include "controllers/gpupool/warm/warm_gpus.h"

#include <algorithm>

#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/machines/own_node_claim.h"
#include "controllers/gpupool/machines/rented.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/gpupool/warm/warm_pod.h"
#include "controllers/gpupool/warm/warm_schedules.h"
#include "controllers/prices/dearest_gpu.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::gpupool {
namespace {

// A waiting pod is given a place that was kept, or a machine is on its way to it.
constexpr std::chrono::seconds kServedByThen(60);
// A pod that still waits by then may wait for another thing than room.
constexpr std::chrono::seconds kServedOtherwise(1800);

// Nodes that nothing holds any more were given back meanwhile, and others rented.
std::chrono::seconds served_otherwise(const api::GpuPoolSpec& spec) {
  return kServedOtherwise +
         std::max(std::chrono::seconds(spec.scale_down_idle_seconds) - kServedOtherwise / 2, std::chrono::seconds(0));
}

struct Spell {
  bool makes_room = true;
  std::chrono::seconds ends{};  // by the pod's age
};
// Each spell is as long as all before it: nobody waits for ever on what is kept ready, nor keeps it from being kept.
Spell spell_at(std::chrono::seconds age, std::chrono::seconds first) {
  Spell spell{.ends = first};
  for (; age >= spell.ends; spell.ends *= 2) spell.makes_room = !spell.makes_room;
  return spell;
}

// The room that the pool's limits leave.
class Room {
 public:
  Room(const Observation& seen, const std::vector<api::NodePool>& node_pools)
      : sharing_(sharing_of(seen.pool->spec.sharing)), gpus_of_machines_(prices::gpus_of_machines(seen.pool->spec)) {
    const std::vector<api::PoolCapacity>& capacity = seen.pool->spec.capacity;
    const NodesOfClaims nodes(seen);
    for (std::size_t i = 0; i < node_pools.size() && i < capacity.size(); ++i) {
      const kube::StringMap& limits = node_pools[i].spec.limits;
      const auto limit = limits.find(sharing_.resource_name);
      const auto most = limit == limits.end() ? std::nullopt : kube::whole_number(limit->second);
      Row row{.type = capacity[i].type, .left = {}};
      std::int64_t rented = 0;
      for (const auto& claim : seen.node_claims) {
        if (claim->meta.label(kNodePoolLabel) != node_pools[i].meta.name) continue;
        const std::int64_t quantity = quantity_rented(*claim, nodes.of(*claim), sharing_.resource_name);
        if (is_rented(seen, *claim)) rented += quantity;
        if (is_on_its_way(*claim)) row.coming = std::max(row.coming, quantity);
      }
      if (most) row.left = *most - rented;
      rows_.push_back(row);
    }
  }

  // True when a machine for the pod is within the limits, or may be on its way. `beside`: so many others, the smallest
  // that there are.
  [[nodiscard]] bool is_there_for(const kube::Pod& pod, std::int32_t beside = 0) const {
    const auto asked = capacity_asked_for(pod);
    const std::int64_t gpus = gpus_asked_for(pod, sharing_);
    const std::int64_t of_it = prices::gpus_of_machine_for(gpus, gpus_of_machines_);
    const std::int64_t needed = sharing_.quantity_of(of_it + beside * gpus_of_machines_.front());
    bool is_rented_at_all = false;
    for (const Row& row : rows_) {
      if (asked && row.type != *asked) continue;
      is_rented_at_all = true;
      if (!row.left || *row.left >= needed || row.coming >= sharing_.quantity_of(gpus)) return true;
    }
    return !is_rented_at_all;
  }

 private:
  struct Row {
    api::CapacityType type{};
    std::optional<std::int64_t> left;  // in the resource that limits count; empty: as much as anybody wants
    std::int64_t coming = 0;           // by the largest machine that is on its way, and counts already
  };
  GpuSharing sharing_;
  std::vector<std::int64_t> gpus_of_machines_;  // ascending
  std::vector<Row> rows_;
};

}  // namespace

std::optional<std::string> unsupported_warm_gpus(const api::GpuPoolSpec& spec, const Settings& settings) {
  if (!keeps_gpus_ready(spec)) return std::nullopt;
  const std::string found =
      spec.warm_gpus > 0
          ? "spec.warm.gpus: found " + std::to_string(spec.warm_gpus) + ", must be 0 "
          : "spec.warm.schedules: found " + std::to_string(spec.warm_schedules.size()) + ", must be empty ";
  if (spec.existing_nodes) return found + "in a pool of existing nodes, which stay by themselves";
  const GpuSharing sharing = sharing_of(spec.sharing);
  if (sharing.unit_resources && sharing.unit_resources->empty())
    return found + "where pods ask for their part of a GPU by annotation (" + sharing.summary + ")";
  if (settings.agent_image.empty())
    return found + "while the operator has no image for the pods that keep them ready; start it with --agent-image";
  if (!settings.is_own_namespace_watched)
    return found + "while the operator does not watch its own namespace " + settings.own_namespace +
           "; add it to --watch-namespaces (the chart's watchNamespaces)";
  return std::nullopt;
}

std::optional<std::string> warm_gpus_misfit(const api::GpuPoolSpec& spec) {
  if (!keeps_gpus_ready(spec)) return std::nullopt;
  if (auto why = warm_schedules_misfit(spec)) return why;
  std::int64_t most = 0;
  for (const api::PoolCapacity& capacity : spec.capacity) {
    if (!capacity.max_gpus) return std::nullopt;
    most += *capacity.max_gpus;
  }
  const auto beyond = [&](const std::string& field, std::int32_t gpus) -> std::optional<std::string> {
    if (gpus <= most) return std::nullopt;
    return field + ": found " + std::to_string(gpus) + ", must be at most " + std::to_string(most) +
           ", which is what the pool may rent (spec.capacity[].maxGpus)";
  };
  if (auto why = beyond("spec.warm.gpus", spec.warm_gpus)) return why;
  for (std::size_t i = 0; i < spec.warm_schedules.size(); ++i) {
    auto why = beyond("spec.warm.schedules[" + std::to_string(i) + "].gpus", spec.warm_schedules[i].gpus);
    if (why) return why;
  }
  return std::nullopt;
}

WarmGpus warm_gpus_beside(const Observation& seen, std::int32_t wanted, const std::vector<api::NodePool>& node_pools,
                          Plan& plan) {
  WarmGpus warm{.wanted = wanted};
  const auto waits = [](const auto& pod) { return !is_warm(*pod) && waits_for_node(*pod); };
  if (warm.wanted == 0 || std::ranges::none_of(seen.waiting, waits)) return warm;
  const std::int32_t warm_gpus = warm.wanted;
  const std::chrono::seconds first = served_otherwise(seen.pool->spec);
  const Room room(seen, node_pools);
  for (const auto& pod : seen.waiting) {
    if (!waits(pod)) continue;
    const Spell spell =
        spell_at(std::chrono::floor<std::chrono::seconds>(seen.now - pod->meta.creation_timestamp), first);
    plan.wake_by(pod->meta.creation_timestamp + spell.ends);
    const bool is_first = spell.ends == first;
    if (!spell.makes_room || (!is_first && room.is_there_for(*pod, warm_gpus))) continue;
    warm.may_be_made = false;
    const kube::Time due = pod->meta.creation_timestamp + kServedByThen;
    if (seen.now < due) {
      plan.wake_by(due);
    } else if (!room.is_there_for(*pod)) {
      warm.wanted = 0;
    }
  }
  return warm;
}

}  // namespace reprise::controllers::gpupool
