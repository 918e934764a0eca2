// The state in which kstatus, and so `helm --wait`, takes an object of ours to be: its rules for kinds that it does not
// know (cli-utils, pkg/kstatus/status/generic.go and core.go). tests/crds/test_kstatus.py holds them against the real
// Helm.
#pragma once

#include <algorithm>
#include <string_view>

#include "runtime/kube/meta.h"

namespace reprise::controllers::testing {

[[nodiscard]] std::string_view kstatus(const auto& object) {
  if (object.meta.deletion_timestamp) return "Terminating";
  if (object.status.observed_generation != object.meta.generation) return "InProgress";
  const auto says = [&](std::string_view type, kube::ConditionStatus status) {
    return std::ranges::any_of(object.status.conditions,
                               [&](const auto& each) { return each.type == type && each.status == status; });
  };
  if (says("Reconciling", kube::ConditionStatus::True)) return "InProgress";
  if (says("Stalled", kube::ConditionStatus::True)) return "Failed";
  const bool waits = says("Ready", kube::ConditionStatus::False) || says("Ready", kube::ConditionStatus::Unknown);
  return waits ? "InProgress" : "Current";
}

}  // namespace reprise::controllers::testing
