#include "controllers/resumablejob/status/cost.h"

#include <algorithm>
#include <chrono>

#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/prices/node_price.h"

namespace reprise::controllers::resumablejob {
namespace {

using prices::MicroUsd;

MicroUsd share(MicroUsd price, std::int64_t of, std::int64_t all) {
  of = std::min(of, all);
  return all <= 0 ? 0 : price / all * of + price % all * of / all;
}

// The price of what the running ranks hold. Empty where one cannot be seen: its machine may be paid for all the same.
std::optional<prices::NodePrice> rate_of(const Observation& seen, const std::vector<api::RankStatus>& ranks) {
  prices::NodePrice rate;
  for (const api::RankStatus& rank : ranks) {
    if (rank.node_name.empty() || rank.finished || rank.exit_code || rank.proof != api::EndProof::None) continue;
    if (!seen.pool) return std::nullopt;
    const auto node = seen.nodes.find(rank.node_name);
    const auto pod =
        std::ranges::find_if(seen.pods, [&](const auto& candidate) { return candidate->meta.uid == rank.pod_uid; });
    if (node == seen.nodes.end() || pod == seen.pods.end()) return std::nullopt;
    const gpupool::GpuSharing sharing = gpupool::sharing_of(seen.pool->spec.sharing);
    const std::int64_t held = std::max(sharing.units_in((*pod)->resource_requests), 0);
    const std::int64_t all = std::max(sharing.units_in(node->second->allocatable), 0);
    const prices::NodePrice price = prices::price_of(seen.pool->spec, node->second->meta, seen.price_table);
    rate.per_hour = prices::sum(rate.per_hour, share(price.per_hour, held, all));
    rate.on_demand_per_hour = prices::sum(rate.on_demand_per_hour, share(price.on_demand_per_hour, held, all));
  }
  return rate;
}

// The text of a rate, or of a sum that may not have begun.
kube::Text shown(MicroUsd amount) {
  return amount == 0 ? kube::Text() : kube::Text(prices::format_usd(amount));
}

// Amounts in a status are rounded: where reports have it written each half minute, all of a small share would be lost.
bool is_too_soon(const api::JobCostStatus& before, const std::optional<prices::NodePrice>& rate, kube::Time now) {
  constexpr std::chrono::minutes shortest{15};
  if (!before.counted_time || now < *before.counted_time || now >= *before.counted_time + shortest) return false;
  return !rate ||
         (shown(rate->per_hour) == before.per_hour && shown(rate->on_demand_per_hour) == before.on_demand_per_hour);
}

bool has_newer_checkpoint(const api::ResumableJobStatus& before, const api::ResumableJobStatus& now) {
  const auto step = [](const api::ResumableJobStatus& status) {
    return status.checkpoint ? std::optional(status.checkpoint->step) : std::nullopt;
  };
  return step(now) != step(before) || api::newest_checkpoint_time(now) != api::newest_checkpoint_time(before);
}

}  // namespace

void count_cost(const Observation& seen, api::ResumableJobStatus& planned) {
  const api::ResumableJobStatus& written = seen.job->status;
  if (planned == written) return;
  const auto rate = rate_of(seen, planned.members);
  if (!written.cost && (!rate || rate->per_hour == 0)) return;
  const bool saved = has_newer_checkpoint(written, planned);
  const api::JobCostStatus before = written.cost.value_or(api::JobCostStatus());
  if (is_too_soon(before, rate, seen.now)) {
    if (saved) planned.cost->since_checkpoint.clear();
    return;
  }
  const auto since = std::chrono::floor<std::chrono::seconds>(seen.now - before.counted_time.value_or(seen.now));
  const MicroUsd more = prices::over(prices::counted_usd(before.per_hour), since);
  const MicroUsd on_demand = prices::sum(prices::counted_usd(before.on_demand_equivalent),
                                         prices::over(prices::counted_usd(before.on_demand_per_hour), since));
  api::JobCostStatus now = before;
  now.spent = prices::format_usd(prices::sum(prices::counted_usd(before.spent), more));
  now.since_checkpoint = saved ? kube::Text() : shown(prices::sum(prices::counted_usd(before.since_checkpoint), more));
  now.on_demand_equivalent = prices::format_usd(on_demand);
  if (rate) {
    now.per_hour = shown(rate->per_hour);
    now.on_demand_per_hour = shown(rate->on_demand_per_hour);
  }
  now.counted_time = seen.now;
  planned.cost = std::move(now);
}

}  // namespace reprise::controllers::resumablejob
