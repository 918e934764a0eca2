// spec.placement.maxCost: at that cost the job is suspended until it is raised. By status.cost, an estimate: what the
// save on demand takes comes on top.
#pragma once

#include <optional>
#include <string>

#include "api/resumable_job.h"

namespace reprise::controllers::resumablejob {

// The time at which status.cost reaches the limit if all goes on as it does; in the past where it has. Empty: there is
// no limit, or nothing costs anything.
[[nodiscard]] std::optional<kube::Time> cost_limit_reached_at(const api::ResumableJobSpec& spec,
                                                              const api::ResumableJobStatus& status);
// The message about a job at its limit.
[[nodiscard]] std::string max_cost_message(const api::ResumableJobSpec& spec);
// True when the sum that is written down as spent has reached it, whatever has run since.
[[nodiscard]] bool has_spent_limit(const api::ResumableJobSpec& spec, const api::ResumableJobStatus& status);

}  // namespace reprise::controllers::resumablejob
