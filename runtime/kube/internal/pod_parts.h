// Shared by the readers of pods and nodes, whatever the encoding.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kube/pod.h"

namespace reprise::kube::internal {

[[nodiscard]] const PodCondition* find_condition(const List<PodCondition>& conditions, std::string_view type);

// Marks the statuses of the init containers of these names, which have the restart policy Always.
void mark_sidecars(Pod& pod, const std::vector<std::string>& names);

// A phase that is not known here is Unknown, not an error: the pod must stay visible.
[[nodiscard]] PodPhase phase_of(std::string_view text);

// Extended resources have a name with '/'.
[[nodiscard]] bool is_extended(std::string_view resource);

// Extended resources that count whole devices, summed over containers. The API server fills requests in from limits, so
// that requests are enough.
class DeviceSum {
 public:
  void add(std::string_view resource, std::string_view quantity);
  [[nodiscard]] StringMap result() const;

 private:
  std::map<std::string, std::int64_t, std::less<>> sums_;
};

}  // namespace reprise::kube::internal
