#include "controllers/resumablejob/decide/decide.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "controllers/resumablejob/claims/unproven.h"
#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/ranks/fitting.h"
#include "controllers/resumablejob/ranks/verdict.h"
#include "controllers/resumablejob/status/cost.h"
#include "controllers/resumablejob/status/read_status.h"
#include "controllers/resumablejob/steps/room.h"

namespace reprise::controllers::resumablejob {
PlanBuilder::PlanBuilder(const Observation& observation, const Settings& given)
    : seen(observation),
      settings(given),
      plan{.status = observation.job->status, .actions = {}, .announcements = {}, .wake_at = {}},
      conditions(plan.status.conditions, observation.job->meta.generation, observation.now),
      first_step(true) {
  plan.status.observed_generation = observation.job->meta.generation;
}

PlanBuilder::PlanBuilder(const Observation& observation, PlanBuilder&& before)
    : seen(observation),
      settings(before.settings),
      plan(std::move(before.plan)),
      conditions(plan.status.conditions, before.conditions.before(), observation.job->meta.generation, observation.now),
      first_step(false) {
  outlook.waits = std::move(before.outlook.waits);
  outlook.checkpoint = std::move(before.outlook.checkpoint);
}

void PlanBuilder::delete_pod(const kube::Pod& pod, std::optional<std::int64_t> grace_period_seconds) {
  const bool planned = std::ranges::any_of(plan.actions, [&](const Action& action) {
    const auto* deletion = std::get_if<DeletePod>(&action);
    return deletion != nullptr && deletion->uid == pod.meta.uid;
  });
  if (!planned) plan.actions.emplace_back(DeletePod{pod.meta.name, pod.meta.uid, grace_period_seconds});
}

namespace {

void look_at_attempt(PlanBuilder& builder) {
  const Observation& seen = builder.seen;
  const std::vector<Rank> ranks = look_at_ranks(seen);
  builder.status().members.clear();
  for (const Rank& rank : ranks) builder.status().members.push_back(rank.memory);
  take_unproven(builder, ranks);
  take_records(builder, ranks);

  if (!seen.job->status.attempt_end) {
    const auto reached = verdict(seen, ranks);
    if (!reached) {
      take_reports(builder, ranks);
      return run_attempt(builder, ranks);
    }
    record_verdict(builder, *reached);
    forget_activity(builder.status());
  }
  end_attempt(builder, ranks);
}

void take_step(PlanBuilder& builder) {
  const api::ResumableJobStatus& status = builder.seen.job->status;
  if (is_finished(status)) return tidy_finished(builder);
  if (status.members.empty()) return begin_attempt(builder);
  look_at_attempt(builder);
}

// True where nothing is awaited between two steps: one write carries both, so the next rests on what the first has
// decided. Not where the next one needs what was not looked for: a pass that ends and closes has not seen which nodes
// leave.
bool goes_on_at_once(const PlanBuilder& builder) {
  const bool had_attempt = !builder.seen.job->status.members.empty();
  const bool has_attempt = !builder.plan.status.members.empty();
  if (had_attempt == has_attempt || is_finished(builder.plan.status)) return false;
  return has_attempt || builder.seen.job->status.attempt_end.has_value();
}

Observation as_written(const PlanBuilder& builder) {
  Observation next = builder.seen;
  auto job = std::make_shared<api::ResumableJob>(*builder.seen.job);
  job->status = builder.plan.status;
  next.job = std::move(job);
  return next;
}

// Ends with the step after which something is awaited: an attempt is closed,
// the next begins, its pods are made.
Plan take_steps(PlanBuilder builder) {
  take_step(builder);
  if (goes_on_at_once(builder)) {
    const Observation next = as_written(builder);
    return take_steps(PlanBuilder(next, std::move(builder)));
  }
  cut_messages(builder.status());
  judge_checkpoint_age(builder);
  judge_room(builder);
  judge_schedule(builder);
  project_conditions(builder);
  boost_priority(builder);
  // Fills in a status of before it was shown live; causes no write for that alone.
  show_recorded_checkpoint(builder.plan.status, builder.seen.job->status);
  return std::move(builder.plan);
}

}  // namespace

Plan decide(const Observation& seen, const Settings& settings) {
  const auto counted = [](const Observation& observation, Plan plan) {
    count_cost(observation, plan.status);
    return plan;
  };
  if (seen.job->meta.deletion_timestamp) {  // owner references take care of the rest
    return Plan{.status = seen.job->status, .actions = {}, .announcements = {}, .wake_at = {}};
  }
  const auto read = read_old_status(*seen.job);
  if (!read) return counted(seen, take_steps(PlanBuilder(seen, settings)));
  Observation in_new_words = seen;
  in_new_words.job = read;
  Plan plan = counted(in_new_words, take_steps(PlanBuilder(in_new_words, settings)));
  if (plan.status == read->status) plan.status = seen.job->status;  // a status that was only read is not written
  return plan;
}

}  // namespace reprise::controllers::resumablejob
