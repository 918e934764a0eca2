#include "apps/kubectl-reprise/commands/status/cost_view.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "api/gpu_pool.h"
#include "apps/kubectl-reprise/terminal/time_text.h"

namespace reprise::plugin {
namespace {

constexpr std::int64_t kMostUnits = 1'000'000;  // keeps products from overflowing

std::optional<Money> read(std::string_view text) {
  return text.empty() ? std::nullopt : Money::read(text);
}

std::string shown(const std::optional<Money>& money) {
  return money ? money->text() : std::string();
}

void add(std::optional<Money>& sum, const std::optional<Money>& more) {
  if (!more) return;
  Money all = sum.value_or(Money());
  all += *more;
  sum = all;
}

// The users of a pool share the cost of its used units.
std::optional<Money> rate_of(const std::vector<api::GpuPool>& pools, const api::ResumableJob& job) {
  const auto pool =
      std::ranges::find_if(pools, [&](const api::GpuPool& each) { return each.meta.name == job.spec.pool_name; });
  if (pool == pools.end()) return std::nullopt;
  const auto all = read(pool->status.cost.per_hour);
  const auto idle = read(pool->status.cost.idle_per_hour);
  const std::int64_t units = units_of(job);
  if (units == 0) return Money();
  const std::int64_t used = std::min<std::int64_t>(pool->status.units.used, kMostUnits);
  if (!all || !idle || used <= 0) return std::nullopt;
  return (*all - *idle).share(std::min(units, used), used);
}

std::string difference(const std::optional<Money>& more, const std::optional<Money>& less) {
  return more && less ? (*more - *less).text() : std::string();
}

}  // namespace

std::int64_t units_of(const api::ResumableJob& job) {
  std::int64_t units = 0;
  for (const api::TemplateContainer& container : job.spec.pod_template.containers) {
    const auto found = container.limits.find(api::kUnitResource);
    if (found == container.limits.end()) continue;
    const std::string_view text = found->second;
    std::int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    units = std::min(units + std::clamp<std::int64_t>(count, 0, kMostUnits), kMostUnits);
  }
  return units * std::clamp<std::int64_t>(job.status.active, 0, kMostUnits);
}

SpentSoFar spent_so_far(const api::ResumableJobStatus& status, kube::Time now) {
  if (!status.cost) return {};
  constexpr std::int64_t longest = 10'000'000;  // seconds; no sum overflows
  const api::JobCostStatus& cost = *status.cost;
  SpentSoFar so_far{read(cost.spent), read(cost.on_demand_equivalent)};
  const kube::Time from = cost.counted_time.value_or(now);
  const std::int64_t since =
      std::clamp<std::int64_t>(std::chrono::floor<std::chrono::seconds>(now - from).count(), 0, longest);
  const auto since_then = [&](const kube::Text& per_hour) -> std::optional<Money> {
    const auto rate = read(per_hour);
    return rate ? std::optional(rate->share(since, 3600)) : std::nullopt;
  };
  add(so_far.spent, since_then(cost.per_hour));
  add(so_far.on_demand, since_then(cost.on_demand_per_hour));
  return so_far;
}

std::vector<CostRow> costs_of_jobs(const std::vector<api::GpuPool>& pools, const std::vector<api::ResumableJob>& jobs,
                                   kube::Time now, std::optional<kube::Time> since) {
  std::vector<CostRow> rows;
  for (const api::ResumableJob& job : jobs) {
    const auto& status = job.status;
    if (since && (!status.start_time || status.completion_time.value_or(now) < *since)) continue;
    CostRow row{.namespace_ = job.meta.namespace_, .job = job.meta.name, .per_hour = rate_of(pools, job)};
    const SpentSoFar so_far = spent_so_far(status, now);
    row.spent = so_far.spent;
    row.on_demand = so_far.on_demand;
    if (status.start_time)
      row.seconds =
          std::chrono::floor<std::chrono::seconds>(status.completion_time.value_or(now) - *status.start_time).count();
    row.lost_seconds = kube::bounded_seconds(status.lost_seconds).count();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<CostRow> costs_by_namespace(const std::vector<CostRow>& jobs) {
  std::map<std::string, CostRow> sums;
  for (const CostRow& job : jobs) {
    CostRow& sum = sums[job.namespace_];
    sum.namespace_ = job.namespace_;
    add(sum.per_hour, job.per_hour);
    add(sum.spent, job.spent);
    add(sum.on_demand, job.on_demand);
    sum.seconds += job.seconds;
    sum.lost_seconds += job.lost_seconds;
  }
  std::vector<CostRow> rows;
  for (auto& [name, sum] : sums) rows.push_back(std::move(sum));
  return rows;
}

Table pool_costs_table(const std::vector<api::GpuPool>& pools) {
  Table table{{"POOL", "PER HOUR", "IDLE", "ON DEMAND", "SAVING", "GPUS"}, {}};
  for (const api::GpuPool& pool : pools) {
    const auto& cost = pool.status.cost;
    table.rows.push_back({pool.meta.name, shown(read(cost.per_hour)), shown(read(cost.idle_per_hour)),
                          shown(read(cost.on_demand_per_hour)),
                          difference(read(cost.on_demand_per_hour), read(cost.per_hour)), pool.status.gpus});
  }
  return table;
}

Table costs_table(const std::vector<CostRow>& rows, bool namespaces) {
  Table table;
  const bool jobs = std::ranges::any_of(rows, [](const CostRow& row) { return !row.job.empty(); });
  if (namespaces) table.header.emplace_back("NAMESPACE");
  if (jobs) table.header.emplace_back("JOB");
  table.header.insert(table.header.end(), {"PER HOUR", "SPENT", "ON DEMAND", "SAVED", "TIME", "LOST"});
  for (const CostRow& row : rows) {
    std::vector<std::string> cells;
    if (namespaces) cells.push_back(row.namespace_);
    if (jobs) cells.push_back(row.job);
    cells.insert(cells.end(), {shown(row.per_hour), shown(row.spent), shown(row.on_demand),
                               difference(row.on_demand, row.spent), length_text(kube::bounded_seconds(row.seconds)),
                               length_text(kube::bounded_seconds(row.lost_seconds))});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Json costs_json(const std::vector<CostRow>& rows) {
  boost::json::array list;
  for (const CostRow& row : rows) {
    boost::json::object one{{"namespace", row.namespace_}};
    if (!row.job.empty()) one["job"] = row.job;
    if (row.per_hour) one["perHour"] = row.per_hour->text();
    if (row.spent) one["spent"] = row.spent->text();
    if (row.on_demand) one["onDemandEquivalent"] = row.on_demand->text();
    one["seconds"] = row.seconds;
    one["lostSeconds"] = row.lost_seconds;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace reprise::plugin
