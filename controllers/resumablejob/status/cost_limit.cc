#include "controllers/resumablejob/status/cost_limit.h"

#include <algorithm>

#include "controllers/prices/money.h"

namespace reprise::controllers::resumablejob {
namespace {

using prices::MicroUsd;

std::optional<MicroUsd> limit_of(const api::ResumableJobSpec& spec) {
  return spec.placement ? prices::parse_usd(spec.placement->max_cost) : std::nullopt;
}

// Rounded up: a moment earlier it is not reached.
std::chrono::seconds time_for(MicroUsd amount, MicroUsd per_hour) {
  constexpr std::int64_t hour = 3600;
  constexpr std::chrono::hours longest{24 * 36500};
  if (amount > prices::kMostUsd / hour) return longest;
  return std::min<std::chrono::seconds>(std::chrono::seconds((amount * hour + per_hour - 1) / per_hour), longest);
}

}  // namespace

std::string max_cost_message(const api::ResumableJobSpec& spec) {
  return "the job has cost what spec.placement.maxCost allows, " + std::string(spec.placement->max_cost) +
         "; raise it to go on";
}

bool has_spent_limit(const api::ResumableJobSpec& spec, const api::ResumableJobStatus& status) {
  const auto limit = limit_of(spec);
  return limit && status.cost && prices::counted_usd(status.cost->spent) >= *limit;
}

std::optional<kube::Time> cost_limit_reached_at(const api::ResumableJobSpec& spec,
                                                const api::ResumableJobStatus& status) {
  const auto limit = limit_of(spec);
  if (!limit || !status.cost || !status.cost->counted_time) return std::nullopt;
  const api::JobCostStatus& cost = *status.cost;
  if (has_spent_limit(spec, status)) return cost.counted_time;
  const MicroUsd per_hour = prices::counted_usd(cost.per_hour);
  if (per_hour == 0) return std::nullopt;
  return *cost.counted_time + time_for(*limit - prices::counted_usd(cost.spent), per_hour);
}

}  // namespace reprise::controllers::resumablejob
