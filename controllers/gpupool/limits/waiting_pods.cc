#include "controllers/gpupool/limits/waiting_pods.h"

#include <algorithm>
#include <utility>

#include "controllers/common/indexes.h"
#include "controllers/gpupool/machines/stuck_node_claims.h"
#include "controllers/gpupool/warm/warm_schedules.h"

namespace reprise::controllers::gpupool {
namespace {

// Machines that come all the time without serving a pod are for others.
constexpr std::chrono::minutes kPassedBy(15);

bool is_true(const kube::PodCondition* condition) {
  return condition != nullptr && condition->status == "True";
}

}  // namespace

bool is_on_its_way(const api::NodeClaim& claim) {
  return !claim.meta.deletion_timestamp && is_true(claim.condition("Launched")) && !is_initialized(claim);
}

std::string_view pool_asked_for(const kube::Pod& pod) {
  const auto found = pod.node_selector.find(kPoolLabel);
  return found == pod.node_selector.end() ? std::string_view{} : std::string_view(found->second);
}

bool asks_for_gpus_anywhere(const kube::Pod& pod) {
  return pod.node_name.empty() && !pod.resource_requests.empty() && pool_asked_for(pod).empty();
}

bool looks_at_waiting_pods(const api::GpuPool& pool) {
  return !pool.spec.max_cost_per_hour.empty() || keeps_gpus_ready(pool.spec) || pool.status.drift.drifted_nodes > 0;
}

bool has_ended(const kube::Pod& pod) {
  return pod.phase == kube::PodPhase::Succeeded || pod.phase == kube::PodPhase::Failed;
}

bool waits_for_node(const kube::Pod& pod) {
  const kube::PodCondition* scheduled = pod.condition("PodScheduled");
  const bool held_back = scheduled != nullptr && scheduled->reason == "SchedulingGated";
  return pod.node_name.empty() && pod.phase == kube::PodPhase::Pending && !pod.meta.deletion_timestamp && !held_back;
}

std::optional<api::CapacityType> capacity_asked_for(const kube::Pod& pod) {
  const auto found = pod.node_selector.find("karpenter.sh/capacity-type");
  if (found == pod.node_selector.end()) return std::nullopt;
  if (found->second == "spot") return api::CapacityType::Spot;
  if (found->second == "reserved") return api::CapacityType::Reserved;
  return api::CapacityType::OnDemand;
}

std::int64_t gpus_asked_for(const kube::Pod& pod, const GpuSharing& sharing) {
  const std::int64_t per_gpu = std::max(sharing.units_per_gpu, 1);
  return std::max<std::int64_t>((sharing.units_in(pod.resource_requests) + per_gpu - 1) / per_gpu, 1);
}

Unanswered::Times Unanswered::look(const Observation& seen, runtime::Instant now) {
  if (seen.waiting.empty()) {
    waits_.clear();
    return {};
  }
  const bool answered = std::ranges::any_of(seen.node_claims, [](const auto& claim) { return is_on_its_way(*claim); });
  std::map<std::string, Wait, std::less<>> waits;
  Times times;
  for (const auto& pod : seen.waiting) {
    if (!waits_for_node(*pod)) continue;
    const auto known = waits_.find(pod->meta.uid);
    Wait wait = known == waits_.end() ? Wait{.came = now, .unanswered_since = now} : known->second;
    if (answered && now - wait.came < kPassedBy) wait.unanswered_since = now;
    waits.emplace(pod->meta.uid, wait);
    times.emplace(pod->meta.uid, std::chrono::floor<std::chrono::seconds>(now - wait.unanswered_since));
  }
  waits_ = std::move(waits);
  return times;
}

}  // namespace reprise::controllers::gpupool
