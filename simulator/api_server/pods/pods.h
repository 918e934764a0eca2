// Pods: defaults, additions by admission, fields that may not change, graceful deletion.
#pragma once

#include <memory>

#include "simulator/api_server/schema/kind_rules.h"

namespace reprise::simulator {

[[nodiscard]] std::unique_ptr<KindRules> pod_rules(ResourceType type);

// The pod with its node, or why it cannot be bound.
[[nodiscard]] Answer<Value> bound_pod(const ResourceType& type, const Value& pod, std::string_view node,
                                      runtime::WallTime now);

}  // namespace reprise::simulator
