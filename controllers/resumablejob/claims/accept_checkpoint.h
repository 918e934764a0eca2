// A volume went back to an older checkpoint, and a person says to go on from there: annotation
// reprise.dev/accept-checkpoint: "<step>/<attempt>".
// (docs/decisions/checkpoints/0016-accepted-checkpoint.md)
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "controllers/resumablejob/decide/phases.h"

namespace reprise::controllers::resumablejob {

// The step that the annotation names, when it is about the attempt that ended last and not newer than what the job is
// known to have saved. The agents refuse a volume that has nothing so new, so less than was seen is never accepted.
[[nodiscard]] std::optional<std::int64_t> accepted_step(const api::ResumableJob& job);

// Expects no more than that step of the volume from now on.
void accept_checkpoint(PlanBuilder& builder, std::int64_t step);

// The command to type to go on from `step`; "<step>" where it is not known.
[[nodiscard]] std::string how_to_accept(const api::ResumableJob& job, std::optional<std::int64_t> step);

}  // namespace reprise::controllers::resumablejob
