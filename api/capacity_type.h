// The way in which a machine is paid for.
#pragma once

#include <string_view>

namespace reprise::api {

enum class CapacityType { Spot, OnDemand, Reserved };
[[nodiscard]] std::string_view name(CapacityType type);  // "Spot"

}  // namespace reprise::api
