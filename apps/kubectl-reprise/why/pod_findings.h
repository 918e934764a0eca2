// What may be wrong with one pod; private to this folder.
#pragma once

#include <optional>

#include "apps/kubectl-reprise/why/inquiry.h"

namespace reprise::plugin::why {

// (pod_ended.cc)
[[nodiscard]] std::optional<Finding> why_pod_failed(const Inquiry& inquiry, const Pod& pod);
[[nodiscard]] std::optional<Finding> why_pod_does_not_end(const Inquiry& inquiry, const Pod& pod);
// By who runs beside a trainer that has finished.
[[nodiscard]] std::optional<Finding> why_its_gpu_is_held(const Inquiry& inquiry, const Pod& pod);
// On a node, not ready. (pod_starting.cc)
[[nodiscard]] std::optional<Finding> why_pod_does_not_start(const Inquiry& inquiry, const Pod& pod);

}  // namespace reprise::plugin::why
