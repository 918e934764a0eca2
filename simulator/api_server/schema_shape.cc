// Pruning and defaults.
#include "simulator/api_server/schema.h"

namespace reprise::simulator {
namespace {

bool belongs_to_every_object(std::string_view member) {
  return member == "apiVersion" || member == "kind" || member == "metadata";
}

void prune_below(const Schema& schema, Value& value, bool root) {
  if (JsonObject* members = value.if_object()) {
    for (auto at = members->begin(); at != members->end();) {
      const std::string_view name(at->key().data(), at->key().size());
      const auto known = schema.properties.find(name);
      if (root && belongs_to_every_object(name)) {
        ++at;
      } else if (known != schema.properties.end()) {
        prune_below(known->second, at->value(), false);
        ++at;
      } else if (schema.additional) {
        prune_below(*schema.additional, at->value(), false);
        ++at;
      } else if (schema.preserve_unknown) {
        ++at;
      } else {
        at = members->erase(at);
      }
    }
  } else if (JsonArray* elements = value.if_array(); elements != nullptr && schema.items) {
    for (Value& element : *elements) prune_below(*schema.items, element, false);
  }
}

}  // namespace

void prune(const Schema& schema, Value& object) {
  prune_below(schema, object, true);
}

void set_defaults(const Schema& schema, Value& value) {
  if (JsonObject* members = value.if_object()) {
    for (const auto& [name, below] : schema.properties) {
      Value* there = members->if_contains(name);
      if (below.default_value && (there == nullptr || (there->is_null() && !below.nullable))) {
        there = &((*members)[name] = *below.default_value);
      }
      if (there != nullptr) set_defaults(below, *there);
    }
    if (!schema.additional) return;
    for (auto& member : *members) {
      const std::string_view name(member.key().data(), member.key().size());
      if (!schema.properties.contains(name)) set_defaults(*schema.additional, member.value());
    }
  } else if (JsonArray* elements = value.if_array(); elements != nullptr && schema.items) {
    for (Value& element : *elements) set_defaults(*schema.items, element);
  }
}

}  // namespace reprise::simulator
