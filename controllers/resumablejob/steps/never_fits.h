// A job that its pool never has room for, whatever ends there: no pod of it is made, so that nothing is rented that
// only waits. By the arithmetic that lint and `why` go by (gpupool/rentable). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controllers/resumablejob/decide/observation.h"

namespace reprise::controllers::resumablejob {

inline constexpr std::string_view kNeverFits = "NeverFits";

// Says so in words for a person; empty: it fits, or nobody knows.
[[nodiscard]] std::optional<std::string> why_it_never_fits(const Observation& seen);

// True when all ranks may find room on this capacity alone.
[[nodiscard]] bool may_fit_on(const Observation& seen, api::CapacityType type);

}  // namespace reprise::controllers::resumablejob
