// The effect of a DELETE on an object: grace, finalizers, propagation.
#pragma once

#include <optional>

#include "runtime/base/clock.h"
#include "simulator/api_server/api_server.h"
#include "simulator/api_server/schema/kind_rules.h"

namespace reprise::simulator {

struct DeletionStep {
  std::optional<Value> write;  // the object with its deletionTimestamp, to be stored first
  bool gone = false;           // then it goes
};

[[nodiscard]] Answer<void> preconditions_met(const ResourceType& type, const Value& object, const Removal& how);
[[nodiscard]] DeletionStep begin_deletion(const KindRules& rules, const Value& object, const Removal& how,
                                          runtime::WallTime now);
// True when an update took away the last thing that kept a deleted object.
[[nodiscard]] bool ends_with_this_write(const KindRules& rules, const Value& object);

}  // namespace reprise::simulator
