// Keys below reprise.dev that the operator writes on objects, or reads there. A label finds an object and proves
// nothing about it (controllers/common/job_of.h). Keys that the agent knows are in protocol/annotations.h, taints in
// protocol/node_taints.h.
#pragma once

#include <string_view>

namespace reprise::api {

// On nodes, NodeClaims, NodePools and overlays: the name of their pool. Pods of a job select it.
inline constexpr std::string_view kPoolLabel = "reprise.dev/pool";

// On what a job makes: its name, its uid and, on a rank, the number of the attempt.
inline constexpr std::string_view kJobLabel = "reprise.dev/job";
inline constexpr std::string_view kJobUidLabel = "reprise.dev/job-uid";
inline constexpr std::string_view kAttemptLabel = "reprise.dev/attempt";
// On a pod that holds a place for a rank of the next attempt.
inline constexpr std::string_view kStandbyLabel = "reprise.dev/standby";
// On a standby pod that only keeps its node from looking empty (node_keepers.cc).
inline constexpr std::string_view kKeepsNodeLabel = "reprise.dev/keeps-node";

// On a job, by a person: ranks that have ended, and checkpoints and claims that it may go on with.
inline constexpr std::string_view kConfirmEndedAnnotation = "reprise.dev/confirm-ended";
inline constexpr std::string_view kAcceptCheckpointAnnotation = "reprise.dev/accept-checkpoint";
inline constexpr std::string_view kAcceptClaimsAnnotation = "reprise.dev/accept-claims";

}  // namespace reprise::api
