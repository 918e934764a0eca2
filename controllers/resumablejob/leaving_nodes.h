// Nodes that are being taken away and to which a pod made now could still be bound.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "controllers/resumablejob/observation.h"

namespace reprise::controllers::resumablejob {

// Cordoned, or tainted by Karpenter, which does so a moment after the NodeClaim is deleted.
[[nodiscard]] bool takes_pods(const kube::Node& node);

struct OpenNode {
  std::string node;
  std::string why;  // "is being taken away and still takes pods"
  kube::Time look_again{};
};

// One for which the next attempt waits: that still takes pods (at most ten seconds: if the taint does not come, waiting
// does not help), or of whose taint the scheduler may not have heard yet.
[[nodiscard]] std::optional<OpenNode> open_leaving_node(const Observation& seen);

}  // namespace reprise::controllers::resumablejob
