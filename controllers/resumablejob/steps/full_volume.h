// An attempt that failed because its saves found no room: the job stands still until a person has made some, and
// nothing is counted against spec.backoffLimit.
#pragma once

#include <vector>

#include "controllers/resumablejob/decide/phases.h"

namespace reprise::controllers::resumablejob {

inline constexpr std::string_view kVolumeFull = "VolumeFull";

// Writes it down while the attempt is ending: the rank's record goes with its pod, and this process may end before all
// of them have.
void note_full_volume(PlanBuilder& builder, const std::vector<Rank>& ranks);
// True when the end of an attempt in which a rank has failed is such a one; `end` says so then.
bool become_full_volume(api::AttemptEnd& end, const Observation& seen, const std::vector<Rank>& ranks);
// Does nothing where the attempt ended for another reason.
void stall_on_full_volume(PlanBuilder& builder, const api::AttemptEnd& end, const std::vector<Rank>& ranks);
// True while nobody has changed the job or the claim since.
[[nodiscard]] bool is_still_full(const Observation& seen);

}  // namespace reprise::controllers::resumablejob
