// Conditions, as metrics.
#pragma once

#include <string_view>
#include <vector>

#include "controllers/metrics/change.h"
#include "runtime/kube/meta.h"

namespace reprise::controllers::metrics {

[[nodiscard]] Changes changes_of_conditions(std::string_view kind, const std::vector<kube::Condition>& before,
                                            const std::vector<kube::Condition>& after, kube::Time now);
[[nodiscard]] std::string_view name_of(kube::ConditionStatus status);
// True when a rank of the job is not proven to have ended.
[[nodiscard]] bool waits_for_fence(const std::vector<kube::Condition>& conditions);

}  // namespace reprise::controllers::metrics
