// What is left of a standby pod that only keeps one node from looking empty.
#pragma once

#include <json/value.h>

#include "api/pod_builder.h"

namespace reprise::api::internal {

// `standby`: as rendered. It asks for nothing, mounts nothing, chooses nothing, and is no pod by which the template's
// own terms of affinity go.
[[nodiscard]] Json::Value reduce_to_node_keeper(const PodBuilder& pod_builder, const Json::Value& standby);

}  // namespace reprise::api::internal
