#include "controllers/metrics/condition_changes.h"

#include <algorithm>
#include <string>

#include "controllers/common/conditions.h"
#include "controllers/metrics/table.h"

namespace reprise::controllers::metrics {

std::string_view name_of(kube::ConditionStatus status) {
  switch (status) {
    case kube::ConditionStatus::True:
      return "True";
    case kube::ConditionStatus::False:
      return "False";
    case kube::ConditionStatus::Unknown:
      return "Unknown";
  }
  return {};
}

bool waits_for_fence(const std::vector<kube::Condition>& conditions) {
  const kube::Condition* ready = find_condition(conditions, "PodsReady");
  return ready != nullptr && ready->reason == "WriterNotFenced";
}

Changes changes_of_conditions(std::string_view kind, const std::vector<kube::Condition>& before,
                              const std::vector<kube::Condition>& after, kube::Time now) {
  Changes changes;
  for (const kube::Condition& is : after) {
    const kube::Condition* was = find_condition(before, is.type);
    if (was != nullptr && was->status == is.status) continue;
    const auto labels = [&](kube::ConditionStatus status) {
      return runtime::Labels{
          {"kind", std::string(kind)}, {"type", std::string(is.type)}, {"status", std::string(name_of(status))}};
    };
    changes.push_back({kConditionTransitions, labels(is.status), 1});
    if (was == nullptr) continue;
    const double stood = std::chrono::duration<double>(now - was->last_transition_time).count();
    changes.push_back({kConditionSeconds, labels(was->status), std::max(0.0, stood)});
  }
  return changes;
}

}  // namespace reprise::controllers::metrics
