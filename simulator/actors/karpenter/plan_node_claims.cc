#include "simulator/actors/karpenter/plan_node_claims.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "simulator/actors/scheduler/fit.h"

namespace reprise::simulator {
namespace {

bool names_hosts(const PodSpecFacts& pod) {
  for (const Requirements& term : pod.node_affinity)
    for (const Requirement& each : term)
      if (each.key == "kubernetes.io/hostname") return true;
  return false;
}

class Planner {
 public:
  Planner(const World& world, PlanQuestion question) : world_(world), question_(std::move(question)) {}

  NodeClaimPlan run() {
    for (const PodFacts* pod : question_.pods) {
      // Karpenter: "might interfere with the internal provisioning logic".
      const bool placed = !names_hosts(*pod->spec) && place(*pod);
      if (!placed) plan_.unplaced.push_back(pod->key());
    }
    return std::move(plan_);
  }

 private:
  bool place(const PodFacts& pod) {
    const VolumeNeeds volumes = volume_needs(world_, pod);
    if (!volumes.problem.empty()) return false;
    return into_room(pod, volumes) || into_planned(pod, volumes) || into_new(pod, volumes);
  }

  bool into_room(const PodFacts& pod, const VolumeNeeds& volumes) {
    for (Room& room : question_.rooms) {
      const bool admits = untolerated(pod.spec->tolerations, room.taints) == nullptr &&
                          selects(*pod.spec, room.labels) && volumes.allow(room.labels) &&
                          lacking(pod.spec->requests, room.free).empty();
      if (!admits) continue;
      subtract(room.free, pod.spec->requests);
      return true;
    }
    return false;
  }

  // The options that take the pod beside those planned for them already.
  std::vector<Offering> that_take(const PodFacts& pod, const VolumeNeeds& volumes, const NodePoolFacts& pool,
                                  const Resources& requests, const std::vector<Offering>& options) const {
    std::vector<Offering> kept;
    Resources wanted = requests;
    add(wanted, pod.spec->requests);
    for (const Offering& each : options) {
      const Labels labels = labels_of(pool, each);
      if (selects(*pod.spec, labels) && volumes.allow(labels) &&
          lacking(wanted, believed_capacity(world_, pool, each)).empty())
        kept.push_back(each);
    }
    return kept;
  }

  bool into_planned(const PodFacts& pod, const VolumeNeeds& volumes) {
    for (PlannedClaim& claim : plan_.claims) {
      if (untolerated(pod.spec->tolerations, claim.pool.taints) != nullptr) continue;
      auto kept = that_take(pod, volumes, claim.pool, claim.requests, claim.options);
      if (kept.empty()) continue;
      claim.options = std::move(kept);
      add(claim.requests, pod.spec->requests);
      claim.pods.push_back(pod.key());
      return true;
    }
    return false;
  }

  bool into_new(const PodFacts& pod, const VolumeNeeds& volumes) {
    for (std::size_t i = 0; i < question_.pools.size(); ++i) {
      const NodePoolFacts& pool = question_.pools[i];
      if (untolerated(pod.spec->tolerations, pool.taints) != nullptr) continue;
      auto options = that_take(pod, volumes, pool, {}, within_pool(i));
      if (options.empty()) continue;
      Resources taken = believed_capacity(world_, pool, options.front());
      taken["nodes"] = 1000;
      add(question_.pool_usage[i], taken);
      plan_.claims.push_back(
          {.pool = pool, .options = std::move(options), .requests = pod.spec->requests, .pods = {pod.key()}});
      return true;
    }
    return false;
  }

  std::vector<Offering> within_pool(std::size_t index) const {
    const NodePoolFacts& pool = question_.pools[index];
    std::vector<Offering> options;
    for (const Offering& each : question_.offerings) {
      if (!satisfies(pool.requirements, pool, each)) continue;
      Resources after = believed_capacity(world_, pool, each);
      after["nodes"] = 1000;
      add(after, question_.pool_usage[index]);
      const bool within = std::ranges::all_of(
          pool.limits, [&](const auto& limit) { return amount(after, limit.first) <= limit.second; });
      if (within) options.push_back(each);
    }
    sort_by_price(options);
    return options;
  }

  const World& world_;
  PlanQuestion question_;
  NodeClaimPlan plan_;
};

}  // namespace

void sort_by_price(std::vector<Offering>& offerings) {
  std::ranges::sort(offerings, [](const Offering& a, const Offering& b) {
    return std::tie(a.micro_usd_per_hour, a.type->name, a.zone, a.capacity_type) <
           std::tie(b.micro_usd_per_hour, b.type->name, b.zone, b.capacity_type);
  });
}

NodeClaimPlan plan_node_claims(const World& world, PlanQuestion question) {
  return Planner(world, std::move(question)).run();
}

}  // namespace reprise::simulator
