// A pod that the kubelet ended because it overfilled its own disk: nothing is wrong with its node.
#pragma once

#include <string_view>

#include "runtime/kube/pod.h"

namespace reprise::controllers::interruption {

inline constexpr std::string_view kEvicted = "Evicted";

// True when its phase is Failed, for a limit of its own (ephemeral storage of a container or of the pod, an emptyDir's
// size), and nobody marks it as one that was to go: a node that is short of something does.
[[nodiscard]] bool overfilled_its_own_disk(const kube::Pod& pod);

// True when a kubelet's message tells of such a limit.
[[nodiscard]] bool tells_of_own_limit(std::string_view message);

}  // namespace reprise::controllers::interruption
