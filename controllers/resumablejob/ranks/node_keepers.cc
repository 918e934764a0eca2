// Nodes that stay with a job while its attempt ends: pods that save are no use of a node to Karpenter, which would give
// it back and rent another one for the next attempt. (docs/decisions/attempts/0119-node-keepers.md)
#include <algorithm>
#include <set>

#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/pods/pod_builder.h"
#include "controllers/resumablejob/ranks/leaving_nodes.h"
#include "controllers/resumablejob/ranks/own_node_claim.h"

namespace reprise::controllers::resumablejob {
namespace {

using api::AttemptEndCause;

// The time beyond the grace of a rank and the longest pause: a machine that is silent is ended meanwhile, or the
// operator is started again.
constexpr std::chrono::seconds kKeptMargin{120};
// Time for a pass that comes late, and for the pod to be seen.
constexpr std::chrono::seconds kBeforeIdle{20};

// True when the next attempt follows at once, or after a pause that is shorter than a boot.
bool goes_on(PlanBuilder& builder) {
  const api::ResumableJobStatus& status = builder.status();
  if (reached_limit(builder) || status.attempts_without_progress >= kAttemptsWithoutProgress) return false;
  switch (status.attempt_end->cause) {
    case AttemptEndCause::Interruption:
    case AttemptEndCause::CheckpointedExit:
    case AttemptEndCause::Hung:
    case AttemptEndCause::IgnoredFailure:
      return true;
    case AttemptEndCause::ApplicationFailure:
      return status.failures < builder.seen.job->spec.backoff_limit;
    case AttemptEndCause::Succeeded:
    case AttemptEndCause::Failed:
    case AttemptEndCause::Rejected:
    case AttemptEndCause::NotInstalled:
    case AttemptEndCause::Refused:
    case AttemptEndCause::VolumeFull:
    case AttemptEndCause::Outdated:
    case AttemptEndCause::Suspended:
    case AttemptEndCause::PodsReadyTimeout:
    case AttemptEndCause::Deleted:
      return false;
  }
  return false;
}

// True for a node of the job's own pool that is there, and not about to go.
bool is_worth_keeping(const Observation& seen, const Rank& rank) {
  const bool going = rank.signal && rank.signal->strength != interruption::Strength::Hint && !rank.signal->node.empty();
  if (going || !rank.node || !rank.node->ready() || !takes_pods(*rank.node) || rank.node->meta.deletion_timestamp)
    return false;
  return rank.node_claim && !rank.node_claim->meta.deletion_timestamp && is_own_node_claim(seen, *rank.node_claim);
}

// Karpenter counts a node's idle time from the deletion of its last pod. Most saves are over before: nothing is made
// for them. By whichever clock says that it is later: a pod too early costs little.
bool is_about_to_look_empty(PlanBuilder& builder) {
  const Observation& seen = builder.seen;
  const api::AttemptEnd& end = *builder.status().attempt_end;
  const auto idle = kube::bounded_seconds(seen.pool->spec.scale_down_idle_seconds);
  const kube::Time since = std::min(end.time, seen.since(Waiting::ForTheNode, std::to_string(end.attempt)));
  const kube::Time due = since + std::max(idle - kBeforeIdle, std::chrono::seconds(0));
  if (seen.now >= due) return true;
  builder.plan.wake_by(due);
  return false;
}

bool is_over(const kube::Pod& pod) {
  return pod.phase == kube::PodPhase::Succeeded || pod.phase == kube::PodPhase::Failed;
}

}  // namespace

bool keeps_node(const kube::Pod& pod) {
  return is_standby(pod) && !pod.meta.label(kKeepsNodeLabel).empty();
}

void keep_nodes(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  const Observation& seen = builder.seen;
  if (seen.job->spec.interruption.standby != api::StandbyPolicy::OnNotice || !goes_on(builder)) return;
  if (!seen.pool || seen.pool->meta.deletion_timestamp || seen.pool->spec.existing_nodes) return;
  if (!is_about_to_look_empty(builder)) return;
  std::set<std::string_view> kept;
  std::set<std::string_view> names;
  for (const auto& pod : seen.pods) {
    if (!keeps_node(*pod)) continue;
    names.insert(pod->meta.name);
    if (!pod->meta.deletion_timestamp && !is_over(*pod)) kept.insert(pod->node_name);
  }
  const auto at_most = std::chrono::seconds(rank_grace_seconds(seen)) + kLongestPause + kKeptMargin;
  for (const Rank& rank : ranks) {
    if (!is_worth_keeping(seen, rank)) continue;
    auto keeper =
        build_node_keeper(seen, builder.settings, builder.status(), rank.memory.index, rank.memory.node_name, at_most);
    // A keeper that has ended has had its time.
    if (names.contains(keeper.name) || !kept.insert(rank.memory.node_name).second) continue;
    builder.plan.actions.emplace_back(CreatePod{std::move(keeper)});
  }
}

void drop_needless_keepers(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  const bool all_bound =
      std::ranges::all_of(ranks, [](const Rank& rank) { return !rank.memory.node_name.empty() || rank.ended(); });
  for (const auto& pod : builder.seen.pods) {
    if (!keeps_node(*pod) || pod->meta.deletion_timestamp) continue;
    const bool used = std::ranges::any_of(
        ranks, [&](const Rank& rank) { return rank.memory.node_name == pod->node_name && !rank.ended(); });
    if (all_bound || used || is_over(*pod)) builder.delete_pod(*pod);
  }
}

}  // namespace reprise::controllers::resumablejob
