#include "simulator/api_server/schema/shape.h"

#include <boost/json/serialize.hpp>
#include <utility>

namespace reprise::simulator {
namespace {

struct Renamed {
  std::string_view core, events;
};

constexpr Renamed renamed[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"reportingComponent", "reportingController"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
};

void rename(JsonObject& members, std::string_view from, std::string_view to) {
  Value* there = members.if_contains(from);
  if (there == nullptr) return;
  Value value = std::move(*there);
  members.erase(from);
  members[to] = std::move(value);
}

}  // namespace

std::string Shape::kind(const ResourceType& type) const {
  return metadata_only ? "PartialObjectMetadata" : type.kind;
}

std::string Shape::api_version(const ResourceType& type) const {
  if (metadata_only) return "meta.k8s.io/v1";
  return events_group ? "events.k8s.io/v1" : type.api_version();
}

void append(std::string& out, const Version& version, Shape shape) {
  if (shape.metadata_only) {
    out += version.metadata_text();
  } else if (shape.events_group) {
    out += shown(version.object(), shape);
  } else {
    out += version.text();
  }
}

std::string shown(const Value& object, Shape shape) {
  if (shape.metadata_only) return partial_metadata(object);
  return boost::json::serialize(shape.events_group ? to_events_group(object) : object);
}

Value to_core_event(Value event) {
  if (!event.is_object()) return event;
  JsonObject& members = event.get_object();
  for (const Renamed& field : renamed) rename(members, field.events, field.core);
  members["apiVersion"] = "v1";
  return event;
}

Value to_events_group(Value event) {
  JsonObject& members = event.get_object();
  for (const Renamed& field : renamed) rename(members, field.core, field.events);
  members["apiVersion"] = "events.k8s.io/v1";
  return event;
}

}  // namespace reprise::simulator
