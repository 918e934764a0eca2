#include "controllers/resumablejob/decide.h"

#include "controllers/resumablejob/phases.h"
#include "controllers/resumablejob/verdict.h"

namespace reprise::controllers::resumablejob {
Draft::Draft(const Observation& observation, const Settings& given)
    : seen(observation),
      settings(given),
      plan{.status = observation.job->status, .actions = {}, .announcements = {}, .wake_at = {}},
      conditions(plan.status.conditions, observation.job->meta.generation, observation.now) {
  plan.status.observed_generation = observation.job->meta.generation;
}

Plan decide(const Observation& seen, const Settings& settings) {
  Draft draft(seen, settings);
  if (seen.job->meta.deletion_timestamp) {
    draft.plan.status = seen.job->status;  // owner references take care of the rest
    return std::move(draft.plan);
  }
  default_conditions(draft);
  if (is_true(seen.job->status.conditions, "Complete") || is_true(seen.job->status.conditions, "Failed")) {
    tidy_finished(draft);
    return std::move(draft.plan);
  }
  if (seen.job->status.members.empty()) {
    begin_attempt(draft);
    return std::move(draft.plan);
  }

  const std::vector<Member> members = look_at_members(seen);
  draft.status().members.clear();
  for (const Member& member : members) draft.status().members.push_back(member.memory);
  take_records(draft, members);

  if (!seen.job->status.attempt_end) {
    if (const auto end = verdict(seen, members)) {
      record_verdict(draft, *end, members);
    } else {
      run_attempt(draft, members);
      return std::move(draft.plan);
    }
  }
  end_attempt(draft, std::move(members));
  return std::move(draft.plan);
}

}  // namespace reprise::controllers::resumablejob
