// Findings about one pod; private to this folder.
#pragma once

#include <optional>

#include "apps/kubectl-reprise/why/inquiry.h"

namespace reprise::plugin::why {

// (pod_ended.cc)
[[nodiscard]] std::optional<Finding> why_pod_failed(const Inquiry& inquiry, const Pod& pod);
[[nodiscard]] std::optional<Finding> why_pod_does_not_end(const Inquiry& inquiry, const Pod& pod);
// A container beside a trainer that has finished holds the GPU.
[[nodiscard]] std::optional<Finding> why_its_gpu_is_held(const Inquiry& inquiry, const Pod& pod);
// The pod has a node and is not ready. (pod_starting.cc)
[[nodiscard]] std::optional<Finding> why_pod_does_not_start(const Inquiry& inquiry, const Pod& pod);

}  // namespace reprise::plugin::why
