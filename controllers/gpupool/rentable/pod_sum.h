// How much of something a pod asks for in all, as the scheduler counts. Pure.
#pragma once

#include <cstdint>
#include <functional>

#include "api/resumable_job.h"

namespace reprise::controllers::rentable {

using Amount = std::function<std::int64_t(const api::TemplateContainer&)>;
// Containers and sidecars together, or an init container beside the sidecars that are listed before it: whichever is
// more.
[[nodiscard]] std::int64_t sum_of_pod(const api::PodTemplate& pod, const Amount& amount);

}  // namespace reprise::controllers::rentable
