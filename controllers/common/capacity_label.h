// The values of Karpenter's label karpenter.sh/capacity-type, which metrics use as well.
#pragma once

#include <string_view>

#include "api/capacity_type.h"

namespace reprise::controllers {

[[nodiscard]] std::string_view capacity_label(api::CapacityType type);  // "on-demand"

}  // namespace reprise::controllers
