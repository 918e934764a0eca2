// A pod that the kubelet ended because it overfilled its own disk: nothing is wrong with its node.
#pragma once

#include <string_view>

#include "runtime/kube/pod.h"

namespace reprise::controllers::interruption {

inline constexpr std::string_view kEvicted = "Evicted";

// Its phase is Failed, for a limit of its own (ephemeral storage of a container or of the pod, an emptyDir's size), and
// nobody marks it as one that was to go: a node that is short of something does.
[[nodiscard]] bool overfilled_its_own_disk(const kube::Pod& pod);

}  // namespace reprise::controllers::interruption
