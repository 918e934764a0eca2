#include "controllers/resumablejob/kueue/priority_boost.h"

#include <algorithm>

#include "controllers/common/unsaved.h"
#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/kueue/workload.h"

namespace reprise::controllers::resumablejob {
namespace {

// The time from which the annotation may be written; empty: now.
std::optional<kube::Time> stands_until(const Observation::Kueue& kueue, std::int32_t wanted, kube::Time now) {
  const auto& last = kueue.boosted;
  if (!last) return std::nullopt;
  // A job that waits with a boost has a place in the queue that nobody meant to give it: the boost goes at once, but
  // once only, whatever becomes of the request.
  const bool waits_with_boost = wanted == 0 && last->boost != 0 && !is_admitted(*kueue.workload);
  const kube::Time until = last->at + kBoostStands;
  return waits_with_boost || last->at > now || until <= now ? std::nullopt : std::optional(until);
}

}  // namespace

std::int32_t priority_boost(std::chrono::seconds unsaved) {
  std::int32_t boost = 0;
  for (const BoostLevel& level : kBoostLevels)
    if (unsaved >= level.unsaved) boost = level.boost;
  return boost;
}

std::optional<std::chrono::seconds> next_boost_after(std::chrono::seconds unsaved) {
  const auto next =
      std::ranges::find_if(kBoostLevels, [&](const BoostLevel& level) { return unsaved < level.unsaved; });
  return next == kBoostLevels.end() ? std::nullopt : std::optional(next->unsaved);
}

void boost_priority(PlanBuilder& builder) {
  const Observation& seen = builder.seen;
  const auto& workload = seen.kueue.workload;
  if (!seen.kueue.boosts || !workload || workload->meta.deletion_timestamp || workload->is_true("Finished")) return;
  const bool goes = std::ranges::any_of(
      builder.plan.actions, [](const Action& action) { return std::holds_alternative<DeleteWorkload>(action); });
  if (goes) return;
  std::int32_t boost = 0;
  const auto since = is_admitted(*workload) ? unsaved_since(builder.plan.status) : std::nullopt;
  if (since) {
    const auto unsaved = std::chrono::duration_cast<std::chrono::seconds>(seen.now - *since);
    boost = priority_boost(unsaved);
    if (const auto next = next_boost_after(unsaved)) builder.plan.wake_by(*since + *next);
  }
  const std::string wanted = boost == 0 ? std::string() : std::to_string(boost);
  if (workload->meta.annotation(kPriorityBoostAnnotation) == wanted) return;
  if (const auto later = stands_until(seen.kueue, boost, seen.now)) return builder.plan.wake_by(*later);
  builder.plan.actions.emplace_back(BoostPriority{workload->meta.name, workload->meta.uid, boost});
}

}  // namespace reprise::controllers::resumablejob
