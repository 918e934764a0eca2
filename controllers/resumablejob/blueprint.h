// From a job to the pods of one attempt.
#pragma once

#include "api/pod_blueprint.h"
#include "controllers/resumablejob/observation.h"

namespace reprise::controllers::resumablejob {

// A member: the user's template with the agent in front of the training command.
[[nodiscard]] api::PodBlueprint member_blueprint(const Observation& seen, const Settings& settings,
                                                 const api::ResumableJobStatus& status, std::int32_t index);
// A standby pod: asks Karpenter for the place of a member and pulls its image; the member preempts it.
[[nodiscard]] api::PodBlueprint standby_blueprint(const Observation& seen, const Settings& settings,
                                                  std::int32_t attempt, std::int32_t index);
// How long a member may take to end: the save, and never less than what any of the pool's machines is given, because
// Karpenter ends such a pod by itself when its machine goes.
[[nodiscard]] std::int64_t member_grace_seconds(const Observation& seen);

}  // namespace reprise::controllers::resumablejob
