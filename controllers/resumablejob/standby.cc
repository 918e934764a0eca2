#include <algorithm>

#include "controllers/resumablejob/blueprint.h"
#include "controllers/resumablejob/names.h"
#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {
namespace {

bool is_standby(const api::Pod& pod) {
  return !pod.meta.label(kStandbyLabel).empty();
}

}  // namespace

void drop_standby(Draft& draft) {
  for (const auto& pod : draft.seen.pods) {
    if (is_standby(*pod) && !pod->meta.deletion_timestamp) {
      draft.plan.actions.emplace_back(DeletePod{pod->meta.name, pod->meta.uid, std::nullopt});
    }
  }
}

// Only the members whose machine goes need a new place; the others come back to theirs.
void hold_places(Draft& draft, const std::vector<Member>& members) {
  const api::ResumableJobSpec& spec = draft.seen.job->spec;
  if (spec.interruption.standby != api::StandbyPolicy::OnNotice || !draft.seen.pool) return;
  if (draft.seen.pool->meta.deletion_timestamp) return;
  for (const Member& member : members) {
    const bool machine_goes =
        member.signal && member.signal->strength != interruption::Strength::Hint && !member.signal->node.empty();
    if (!machine_goes) continue;
    const std::int32_t attempt = draft.status().attempt;
    const std::string name = standby_name(draft.seen.job->meta.name, attempt, member.memory.index);
    if (std::ranges::any_of(draft.seen.pods, [&](const auto& pod) { return pod->meta.name == name; })) continue;
    draft.plan.actions.emplace_back(
        CreatePod{standby_blueprint(draft.seen, draft.settings, attempt, member.memory.index)});
  }
}

}  // namespace reprise::controllers::resumablejob
