// Pruning and defaults.
#include "simulator/api_server/schema/schema.h"
#include "simulator/api_server/store/equality.h"

namespace reprise::simulator {
namespace {

bool belongs_to_every_object(std::string_view member) {
  return member == "apiVersion" || member == "kind" || member == "metadata";
}

const Schema* schema_of(const Schema& schema, std::string_view member) {
  const auto known = schema.properties.find(member);
  return known != schema.properties.end() ? &known->second : schema.additional.get();
}

void prune_below(const Schema& schema, Value& value) {
  if (JsonObject* members = value.if_object()) {
    for (auto at = members->begin(); at != members->end();) {
      const Schema* below = schema_of(schema, at->key());
      if (below != nullptr) prune_below(*below, at->value());
      at = below != nullptr || schema.preserve_unknown ? at + 1 : members->erase(at);
    }
  } else if (JsonArray* elements = value.if_array(); elements != nullptr && schema.items) {
    for (Value& element : *elements) prune_below(*schema.items, element);
  }
}

void set_defaults_below(const Schema& schema, Value& value);

void default_member(const Schema& schema, JsonObject& members, const std::string& name) {
  Value* there = members.if_contains(name);
  if (schema.default_value && (there == nullptr || (there->is_null() && !schema.nullable))) {
    there = &(members[name] = *schema.default_value);
  }
  if (there != nullptr) set_defaults_below(schema, *there);
}

void set_defaults_below(const Schema& schema, Value& value) {
  if (JsonObject* members = value.if_object()) {
    for (const auto& [name, below] : schema.properties) default_member(below, *members, name);
    if (!schema.additional) return;
    for (auto& member : *members) {
      if (!schema.properties.contains(std::string_view(member.key())))
        set_defaults_below(*schema.additional, member.value());
    }
  } else if (JsonArray* elements = value.if_array(); elements != nullptr && schema.items) {
    for (Value& element : *elements) set_defaults_below(*schema.items, element);
  }
}

bool unchanged(const Value* before, std::string_view member, const Value& value) {
  const Value* old = before == nullptr ? nullptr : find(*before, {member});
  return old != nullptr && equal(*old, value);
}

}  // namespace

void prune(const Schema& schema, Value& object, const Value* before) {
  JsonObject& members = object.get_object();
  for (auto at = members.begin(); at != members.end();) {
    const std::string_view name = at->key();
    const Schema* below = schema_of(schema, name);
    const bool known = below != nullptr && !belongs_to_every_object(name);
    if (known && !unchanged(before, name, at->value())) prune_below(*below, at->value());
    at = known || belongs_to_every_object(name) || schema.preserve_unknown ? at + 1 : members.erase(at);
  }
}

void set_defaults(const Schema& schema, Value& object, const Value* before) {
  JsonObject& members = object.get_object();
  for (const auto& [name, below] : schema.properties) {
    const Value* there = members.if_contains(name);
    if (belongs_to_every_object(name) || (there != nullptr && unchanged(before, name, *there))) continue;
    default_member(below, members, name);
  }
}

}  // namespace reprise::simulator
