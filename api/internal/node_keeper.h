// Reduces a standby pod to one that only keeps its node from looking empty.
#pragma once

#include <json/value.h>

#include "api/pod_builder.h"

namespace reprise::api::internal {

// `standby`: the rendered pod. The result requests nothing, mounts nothing, selects nothing, and matches none of the
// template's own affinity terms.
[[nodiscard]] Json::Value reduce_to_node_keeper(const PodBuilder& pod_builder, const Json::Value& standby);

}  // namespace reprise::api::internal
