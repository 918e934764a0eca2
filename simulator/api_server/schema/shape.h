// The shapes in which one stored object is shown: whole, its metadata alone, and events in the group events.k8s.io.
#pragma once

#include <string>
#include <string_view>

#include "simulator/api_server/schema/resource_type.h"
#include "simulator/api_server/store/version.h"

namespace reprise::simulator {

struct Shape {
  bool metadata_only = false;
  bool events_group = false;

  // Names of a kind in this shape.
  [[nodiscard]] std::string kind(const ResourceType& type) const;
  [[nodiscard]] std::string api_version(const ResourceType& type) const;
};

void append(std::string& out, const Version& version, Shape shape);
[[nodiscard]] std::string shown(const Value& object, Shape shape);

// An Event of events.k8s.io/v1 as the core group has it, and back.
[[nodiscard]] Value to_core_event(Value event);
[[nodiscard]] Value to_events_group(Value event);

}  // namespace reprise::simulator
