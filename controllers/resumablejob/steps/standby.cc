#include <algorithm>

#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/pods/pod_builder.h"

namespace reprise::controllers::resumablejob {
namespace {

// The scheduler evicts a pod of lower priority within a second of looking; standby pods have a grace of one.
constexpr std::chrono::seconds longest_preemption{60};

bool is_going(const Rank& rank) {
  return rank.signal && rank.signal->strength != interruption::Strength::Hint && !rank.signal->node.empty();
}

void drop(PlanBuilder& builder, bool (*unwanted)(const kube::Pod&)) {
  for (const auto& pod : builder.seen.pods) {
    if (is_standby(*pod) && !pod->meta.deletion_timestamp && unwanted(*pod)) {
      builder.delete_pod(*pod);
    }
  }
}

}  // namespace

bool standby_is_in_the_way(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  const bool holds_node = std::ranges::any_of(builder.seen.pods, [](const auto& pod) {
    return is_standby(*pod) && !pod->node_name.empty() && !pod->meta.deletion_timestamp;
  });
  if (!holds_node) return false;
  for (const Rank& rank : ranks) {
    if (!rank.pod || !rank.pod->node_name.empty()) continue;
    const kube::Time timeout_ends = builder.seen.since(Waiting::ForPreemption, rank.pod->meta.uid) + longest_preemption;
    if (builder.seen.now >= timeout_ends) return true;
    builder.plan.wake_by(timeout_ends);
  }
  return false;
}

void drop_standby(PlanBuilder& builder) {
  drop(builder, [](const kube::Pod&) { return true; });
}

void drop_waiting_standby(PlanBuilder& builder) {
  drop(builder, [](const kube::Pod& pod) { return pod.node_name.empty(); });
}

// Only the ranks whose node goes need a new place; the others come back to theirs. A place that an earlier attempt
// has asked for serves as well.
void hold_places(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  const api::ResumableJobSpec& spec = builder.seen.job->spec;
  if (spec.interruption.standby != api::StandbyPolicy::OnNotice || !builder.seen.pool) return;
  if (builder.seen.pool->meta.deletion_timestamp) return;
  // No node comes for a pod of a pool whose nodes are there already; on those that are, the next attempt finds its own.
  if (builder.seen.pool->spec.existing_nodes) return;
  const auto wanted = std::ranges::count_if(ranks, is_going);
  auto held = std::ranges::count_if(builder.seen.pods, [](const auto& pod) {
    return is_standby(*pod) && !keeps_node(*pod) && !pod->meta.deletion_timestamp;
  });
  for (const Rank& rank : ranks) {
    if (!is_going(rank) || held >= wanted) continue;
    const std::int32_t attempt = builder.status().attempt;
    const std::string name = standby_name(builder.seen.job->meta.name, attempt, rank.memory.index);
    if (std::ranges::any_of(builder.seen.pods, [&](const auto& pod) { return pod->meta.name == name; })) continue;
    builder.plan.actions.emplace_back(
        CreatePod{build_standby_pod(builder.seen, builder.settings, builder.status(), rank.memory.index)});
    ++held;
  }
}

}  // namespace reprise::controllers::resumablejob
