// Limits that a job sets itself, and at which it is suspended: how often it may be interrupted, what it may cost.
#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/status/cost_limit.h"

namespace reprise::controllers::resumablejob {
namespace {

// Goes by the count and not by what a condition says: a suspend by hand and its end leave the limit reached.
std::optional<Suspension> interruption_limit(const api::ResumableJobSpec& spec, const api::ResumableJobStatus& status) {
  const std::int32_t count = status.interruption_count - status.planned_interruptions;
  if (!spec.interruption.limit || count == 0 || count < *spec.interruption.limit) return std::nullopt;
  return Suspension{SuspendedBy::InterruptionLimit,
                    std::to_string(count) + " interruptions reach spec.interruption.limit; raise it to go on"};
}

}  // namespace

std::string_view reason_of(SuspendedBy cause) {
  switch (cause) {
    case SuspendedBy::Person:
      return "Suspended";
    case SuspendedBy::InterruptionLimit:
      return "InterruptionLimitReached";
    case SuspendedBy::CostLimit:
      return "MaxCostReached";
  }
  return {};
}

std::optional<Suspension> reached_limit(const api::ResumableJobSpec& spec, const api::ResumableJobStatus& status) {
  if (auto limit = interruption_limit(spec, status)) return limit;
  if (has_spent_limit(spec, status)) return Suspension{SuspendedBy::CostLimit, max_cost_message(spec)};
  return std::nullopt;
}

std::optional<Suspension> reached_limit(const PlanBuilder& builder) {
  const api::ResumableJobSpec& spec = builder.seen.job->spec;
  if (auto limit = interruption_limit(spec, builder.plan.status)) return limit;
  // The cost since it was counted is written with this pass.
  const auto cost = cost_limit_reached_at(spec, builder.plan.status);
  if (!cost || builder.seen.now < *cost) return std::nullopt;
  return Suspension{SuspendedBy::CostLimit, max_cost_message(spec)};
}

void suspend_at_limit(PlanBuilder& builder, Suspension limit) {
  const std::string_view reason = reason_of(limit.by);
  if (!said_before(builder, "Suspended", reason)) {
    builder.announce(EventType::Warning, std::string(reason), "Suspend", limit.message);
  }
  builder.outlook.waits = Saying{"Suspended", limit.message};
  builder.outlook.suspended = std::move(limit);
  stop_clock(builder);
  drop_standby(builder);
}

}  // namespace reprise::controllers::resumablejob
