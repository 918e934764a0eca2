#include "runtime/kube/internal/pod_parts.h"

#include <algorithm>
#include <limits>

#include "runtime/kube/quantity.h"

namespace reprise::kube::internal {

const PodCondition* find_condition(const List<PodCondition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &PodCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

void mark_sidecars(Pod& pod, const std::vector<std::string>& names) {
  if (names.empty()) return;
  for (ContainerStatus& status : pod.container_statuses) {
    const std::string_view name = status.name;
    status.sidecar = status.init && std::ranges::any_of(names, [&](const std::string& each) { return each == name; });
  }
}

PodPhase phase_of(std::string_view text) {
  if (text == "Pending") return PodPhase::Pending;
  if (text == "Running") return PodPhase::Running;
  if (text == "Succeeded") return PodPhase::Succeeded;
  if (text == "Failed") return PodPhase::Failed;
  return PodPhase::Unknown;
}

bool is_extended(std::string_view resource) {
  return resource.find('/') != std::string_view::npos;
}

void DeviceSum::add(std::string_view resource, std::string_view quantity) {
  const std::optional<std::int64_t> whole = whole_number(quantity);
  if (!is_extended(resource) || !whole) return;
  const std::int64_t count = *whole;
  const auto known = sums_.find(resource);
  std::int64_t& sum = known == sums_.end() ? sums_[std::string(resource)] : known->second;
  sum = count > std::numeric_limits<std::int64_t>::max() - sum ? std::numeric_limits<std::int64_t>::max() : sum + count;
}

StringMap DeviceSum::result() const {
  StringMap out;
  for (const auto& [resource, sum] : sums_) out.emplace(resource, std::to_string(sum));
  return out;
}

}  // namespace reprise::kube::internal
