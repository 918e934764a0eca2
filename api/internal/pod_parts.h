// What Pod shares with the other kinds that have conditions of the older shape.
#pragma once

#include <string_view>
#include <vector>

#include "api/kubernetes/pod.h"

namespace reprise::api::internal {

[[nodiscard]] const PodCondition* find_condition(const std::vector<PodCondition>& conditions, std::string_view type);

}  // namespace reprise::api::internal
