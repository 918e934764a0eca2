// Nodes that are being taken away and to which a pod made now could still be bound.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "controllers/resumablejob/decide/observation.h"

namespace reprise::controllers::resumablejob {

// Scheduler and operator hear of pods and of nodes through watches of their own: a pod that is made in the moment in
// which the operator sees a taint is bound to that node by a scheduler that does not. Where the trainers take longer
// than this to save, nothing is waited for. Times are whole seconds: of two, one at least passes.
inline constexpr std::chrono::seconds kSchedulerLag{2};

// False for a node that is cordoned, or tainted by Karpenter, which does so a moment after the NodeClaim is deleted.
[[nodiscard]] bool takes_pods(const kube::Node& node);

struct OpenNode {
  std::string message;
  kube::Time look_again{};
};

// A node for which the next attempt waits: one that still takes pods (at most ten seconds: if the taint does not come,
// waiting does not help), or of whose taint the scheduler may not have heard yet.
[[nodiscard]] std::optional<OpenNode> open_leaving_node(const Observation& seen);

// The pause after an attempt that was interrupted as soon as it had begun, as the one before it was, and whose node
// stands and takes pods all the same: the next one may be bound there again at once. Longer each time; zero: none is
// needed.
[[nodiscard]] std::chrono::seconds pause_after_open_node(const Observation& seen, const api::AttemptEnd& end);

}  // namespace reprise::controllers::resumablejob
