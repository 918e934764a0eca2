// Labels by which objects of a job are found again. None of them proves anything (job_of.h).
#pragma once

#include <string_view>

namespace reprise::controllers {

inline constexpr std::string_view kJobLabel = "reprise.dev/job";
inline constexpr std::string_view kJobUidLabel = "reprise.dev/job-uid";
inline constexpr std::string_view kStandbyLabel = "reprise.dev/standby";

}  // namespace reprise::controllers
