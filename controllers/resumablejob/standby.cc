#include <algorithm>

#include "controllers/resumablejob/blueprint.h"
#include "controllers/resumablejob/names.h"
#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {
namespace {

// The scheduler evicts a pod of lower priority within a second of looking; standby pods have a grace of one.
constexpr std::chrono::seconds longest_preemption{60};

bool is_standby(const kube::Pod& pod) {
  return !pod.meta.label(kStandbyLabel).empty();
}

bool is_going(const Member& member) {
  return member.signal && member.signal->strength != interruption::Strength::Hint && !member.signal->node.empty();
}

void drop(Draft& draft, bool (*unwanted)(const kube::Pod&)) {
  for (const auto& pod : draft.seen.pods) {
    if (is_standby(*pod) && !pod->meta.deletion_timestamp && unwanted(*pod)) {
      draft.delete_pod(*pod);
    }
  }
}

}  // namespace

bool standby_is_in_the_way(Draft& draft, const std::vector<Member>& members) {
  const bool holds_machine = std::ranges::any_of(draft.seen.pods, [](const auto& pod) {
    return is_standby(*pod) && !pod->node_name.empty() && !pod->meta.deletion_timestamp;
  });
  if (!holds_machine) return false;
  for (const Member& member : members) {
    if (!member.pod || !member.pod->node_name.empty()) continue;
    const kube::Time patience_ends =
        draft.seen.since(Waiting::ForPreemption, member.pod->meta.uid) + longest_preemption;
    if (draft.seen.now >= patience_ends) return true;
    draft.plan.wake_by(patience_ends);
  }
  return false;
}

void drop_standby(Draft& draft) {
  drop(draft, [](const kube::Pod&) { return true; });
}

void drop_waiting_standby(Draft& draft) {
  drop(draft, [](const kube::Pod& pod) { return pod.node_name.empty(); });
}

// Only the members whose machine goes need a new place; the others come back to theirs. A place that an earlier attempt
// has asked for serves as well.
void hold_places(Draft& draft, const std::vector<Member>& members) {
  const api::ResumableJobSpec& spec = draft.seen.job->spec;
  if (spec.interruption.standby != api::StandbyPolicy::OnNotice || !draft.seen.pool) return;
  if (draft.seen.pool->meta.deletion_timestamp) return;
  const auto wanted = std::ranges::count_if(members, is_going);
  auto held = std::ranges::count_if(draft.seen.pods,
                                    [](const auto& pod) { return is_standby(*pod) && !pod->meta.deletion_timestamp; });
  for (const Member& member : members) {
    if (!is_going(member) || held >= wanted) continue;
    const std::int32_t attempt = draft.status().attempt;
    const std::string name = standby_name(draft.seen.job->meta.name, attempt, member.memory.index);
    if (std::ranges::any_of(draft.seen.pods, [&](const auto& pod) { return pod->meta.name == name; })) continue;
    draft.plan.actions.emplace_back(
        CreatePod{standby_blueprint(draft.seen, draft.settings, attempt, member.memory.index)});
    ++held;
  }
}

}  // namespace reprise::controllers::resumablejob
