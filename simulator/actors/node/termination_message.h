// The part of a container's termination message that its kubelet reports.
#pragma once

#include <string_view>

#include "simulator/base/json.h"

namespace reprise::simulator {

// A pod has 12 KiB, divided among all entries of its spec (containers, init containers, ephemeral containers), whether
// these say something or not; a container has 4 KiB at most. The end is cut off (Kubernetes 1.35,
// pkg/kubelet/status/status_manager.go, normalizeStatus).
[[nodiscard]] std::string_view reported_message(const Value& pod, std::string_view message);

}  // namespace reprise::simulator
