// Pods that keep a GPU of a pool ready and make room for any other pod.
#pragma once

#include <string_view>

#include "runtime/kube/pod.h"

namespace reprise::controllers {

// The pool's name.
inline constexpr std::string_view kWarmLabel = "reprise.dev/warm";

// It keeps a GPU of some pool ready. Whoever has put the label on a pod of his own uses the GPU all the same.
[[nodiscard]] bool is_warm(const kube::Pod& pod);

}  // namespace reprise::controllers
