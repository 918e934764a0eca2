// Pods that keep a GPU of a pool ready and make room for any other pod.
#pragma once

#include <string_view>

#include "runtime/kube/pod.h"

namespace reprise::controllers {

// The label of such pods; its value is the pool's name.
inline constexpr std::string_view kWarmLabel = "reprise.dev/warm";

// True for a pod that keeps a GPU of some pool ready. A pod on which a person has put the label uses the GPU all the
// same.
[[nodiscard]] bool is_warm(const kube::Pod& pod);

}  // namespace reprise::controllers
