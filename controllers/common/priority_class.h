// The chart's priority class of pods that hold a place and make room for any other pod.
#pragma once

#include <string_view>

namespace reprise::controllers {

inline constexpr std::string_view kStandbyPriorityClass = "reprise-standby";

}  // namespace reprise::controllers
