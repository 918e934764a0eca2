// Defaults that the API server and its default admission plugins add to a new pod.
#pragma once

#include "simulator/base/json.h"

namespace reprise::simulator {

// Sets fields that were left out of spec.
void set_pod_defaults(Value& pod);
// DefaultTolerationSeconds: nodes that are not ready or cannot be reached are borne for 300 s.
void add_default_tolerations(Value& pod);
// "Guaranteed", "Burstable" or "BestEffort".
[[nodiscard]] std::string_view qos_class(const Value& pod);

}  // namespace reprise::simulator
