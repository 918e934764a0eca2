// From a job to the pods of one attempt.
#pragma once

#include <chrono>
#include <string_view>

#include "api/pod_builder.h"
#include "controllers/resumablejob/decide/observation.h"

namespace reprise::controllers::resumablejob {

// A rank: the user's template with the agent in front of the training command.
[[nodiscard]] api::PodBuilder build_rank_pod(const Observation& seen, const Settings& settings,
                                             const api::ResumableJobStatus& status, std::int32_t index);
// A standby pod: asks Karpenter for the place of a rank and pulls its image; the rank preempts it.
// `status`: as it will be written, with the end of the attempt in it.
[[nodiscard]] api::PodBuilder build_standby_pod(const Observation& seen, const Settings& settings,
                                                const api::ResumableJobStatus& status, std::int32_t index);
// The pod for which a queued job asks quota: the user's template, placed as a rank is, and nothing else of a rank.
[[nodiscard]] api::PodBuilder build_queued_pod(const Observation& seen);
// The nodes that the pool and spec.placement leave to the job; `requested`: with this capacity alone ("Spot",
// "OnDemand").
[[nodiscard]] kube::StringMap own_node_selector(const Observation& seen, std::string_view requested = {});
// The time that a rank may take to end: the save, and never less than what any of the pool's nodes is given, because
// Karpenter ends such a pod by itself when its node goes.
[[nodiscard]] std::int64_t rank_grace_seconds(const Observation& seen);

// Keeps `node` for that rank's successor from looking empty, at most for so long.
[[nodiscard]] api::PodBuilder build_node_keeper(const Observation& seen, const Settings& settings,
                                                const api::ResumableJobStatus& status, std::int32_t index,
                                                std::string_view node, std::chrono::seconds at_most);

}  // namespace reprise::controllers::resumablejob
