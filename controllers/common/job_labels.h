// By which labels objects of a job are found again.
#pragma once

#include <string_view>

namespace reprise::controllers {

inline constexpr std::string_view kJobLabel = "reprise.dev/job";
inline constexpr std::string_view kJobUidLabel = "reprise.dev/job-uid";

}  // namespace reprise::controllers
