#include "controllers/resumablejob/decide.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "controllers/resumablejob/phases.h"
#include "controllers/resumablejob/read_status.h"
#include "controllers/resumablejob/verdict.h"

namespace reprise::controllers::resumablejob {
Draft::Draft(const Observation& observation, const Settings& given)
    : seen(observation),
      settings(given),
      plan{.status = observation.job->status, .actions = {}, .announcements = {}, .wake_at = {}},
      conditions(plan.status.conditions, observation.job->meta.generation, observation.now),
      first_step(true) {
  plan.status.observed_generation = observation.job->meta.generation;
}

Draft::Draft(const Observation& observation, Draft&& before)
    : seen(observation),
      settings(before.settings),
      plan(std::move(before.plan)),
      conditions(plan.status.conditions, before.conditions.before(), observation.job->meta.generation, observation.now),
      first_step(false) {
  outlook.waits = std::move(before.outlook.waits);
}

void Draft::delete_pod(const kube::Pod& pod, std::optional<std::int64_t> grace_period_seconds) {
  const bool planned = std::ranges::any_of(plan.actions, [&](const Action& action) {
    const auto* deletion = std::get_if<DeletePod>(&action);
    return deletion != nullptr && deletion->uid == pod.meta.uid;
  });
  if (!planned) plan.actions.emplace_back(DeletePod{pod.meta.name, pod.meta.uid, grace_period_seconds});
}

namespace {

void look_at_attempt(Draft& draft) {
  const Observation& seen = draft.seen;
  const std::vector<Member> members = look_at_members(seen);
  draft.status().members.clear();
  for (const Member& member : members) draft.status().members.push_back(member.memory);
  take_records(draft, members);

  if (!seen.job->status.attempt_end) {
    const auto end = verdict(seen, members);
    if (!end) return run_attempt(draft, members);
    record_verdict(draft, *end, members);
  }
  end_attempt(draft, members);
}

void take_step(Draft& draft) {
  const api::ResumableJobStatus& status = draft.seen.job->status;
  if (is_finished(status)) return tidy_finished(draft);
  if (status.members.empty()) return begin_attempt(draft);
  look_at_attempt(draft);
}

// Nothing is awaited between two steps: one write carries both, so the next rests on what the first has decided. Not
// where the next one needs what was not looked for: who ends and closes in one pass has not seen which nodes leave.
bool goes_on_at_once(const Draft& draft) {
  const bool had_attempt = !draft.seen.job->status.members.empty();
  const bool has_attempt = !draft.plan.status.members.empty();
  if (had_attempt == has_attempt || is_finished(draft.plan.status)) return false;
  return has_attempt || draft.seen.job->status.attempt_end.has_value();
}

Observation as_written(const Draft& draft) {
  Observation next = draft.seen;
  auto job = std::make_shared<api::ResumableJob>(*draft.seen.job);
  job->status = draft.plan.status;
  next.job = std::move(job);
  return next;
}

// Ends with the step after which something is awaited: an attempt is closed,
// the next begins, its pods are made.
Plan take_steps(Draft draft) {
  take_step(draft);
  if (goes_on_at_once(draft)) {
    const Observation next = as_written(draft);
    return take_steps(Draft(next, std::move(draft)));
  }
  project_conditions(draft);
  return std::move(draft.plan);
}

}  // namespace

Plan decide(const Observation& seen, const Settings& settings) {
  if (seen.job->meta.deletion_timestamp) {  // owner references take care of the rest
    return Plan{.status = seen.job->status, .actions = {}, .announcements = {}, .wake_at = {}};
  }
  const auto read = read_old_status(*seen.job);
  if (!read) return take_steps(Draft(seen, settings));
  Observation in_new_words = seen;
  in_new_words.job = read;
  Plan plan = take_steps(Draft(in_new_words, settings));
  if (plan.status == read->status) plan.status = seen.job->status;  // nothing is written that was only read
  return plan;
}

}  // namespace reprise::controllers::resumablejob
