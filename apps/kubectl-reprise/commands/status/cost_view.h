// Known costs of pools and jobs. Pure. All figures are estimates: prices come from node labels, from spec.prices or
// from a built-in table.
#pragma once

#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "api/resumable_job.h"
#include "apps/kubectl-reprise/terminal/json.h"
#include "apps/kubectl-reprise/terminal/money.h"
#include "apps/kubectl-reprise/terminal/table.h"

namespace reprise::plugin {

// One job, or one namespace with the sum of its jobs.
struct CostRow {
  std::string namespace_, job;    // `job` empty: a namespace
  std::optional<Money> per_hour;  // its part of the present cost of its pool's used units; empty when not known
  std::optional<Money> spent, on_demand;
  std::int64_t seconds = 0;  // since it started, until it ended
  std::int64_t lost_seconds = 0;
};

// Cost until now: the sum of the status, and the runtime since it was written.
struct SpentSoFar {
  std::optional<Money> spent, on_demand;
};
[[nodiscard]] SpentSoFar spent_so_far(const api::ResumableJobStatus& status, kube::Time now);

// Jobs that ran after `since`, where that is given.
[[nodiscard]] std::vector<CostRow> costs_of_jobs(const std::vector<api::GpuPool>& pools,
                                                 const std::vector<api::ResumableJob>& jobs, kube::Time now,
                                                 std::optional<kube::Time> since);
[[nodiscard]] std::vector<CostRow> costs_by_namespace(const std::vector<CostRow>& jobs);

[[nodiscard]] Table pool_costs_table(const std::vector<api::GpuPool>& pools);
[[nodiscard]] Table costs_table(const std::vector<CostRow>& rows, bool namespaces);
[[nodiscard]] Json costs_json(const std::vector<CostRow>& rows);
// The units that the job's running pods hold.
[[nodiscard]] std::int64_t units_of(const api::ResumableJob& job);

}  // namespace reprise::plugin
