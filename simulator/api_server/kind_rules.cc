#include "simulator/api_server/kind_rules.h"

#include <utility>

namespace reprise::simulator {
namespace {

void keep(const Value& before, Value& after, std::string_view member) {
  JsonObject& members = after.get_object();
  if (const Value* old = before.get_object().if_contains(member)) {
    members[member] = *old;
  } else {
    members.erase(member);
  }
}

}  // namespace

void KindRules::keep_other_parts(const Value& before, Value& after, Part part) const {
  if (!type_.status_subresource) return;
  if (part == Part::Main) return keep(before, after, "status");
  if (part != Part::Status) return;
  Value kept = before;
  kept.get_object()["metadata"] = std::move(after.get_object()["metadata"]);
  if (Value* status = find(after, {"status"})) {
    kept.get_object()["status"] = std::move(*status);
  } else {
    kept.get_object().erase("status");
  }
  after = std::move(kept);
}

Answer<void> KindRules::prepare_new(const Surroundings&, Value& object) const {
  if (type_.status_subresource) object.get_object().erase("status");
  return {};
}

Answer<void> KindRules::prepare_change(const Surroundings&, const Value& before, Value& after, Part part) const {
  keep_other_parts(before, after, part);
  return {};
}

std::optional<std::int64_t> KindRules::grace_seconds(const Value&, std::optional<std::int64_t>) const {
  return {};
}

bool KindRules::held(const Value&) const {
  return false;
}

void KindRules::mark_deleted(Value&) const {}

std::string KindRules::not_selectable(std::string_view field) const {
  return "\"" + std::string(field) + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
}

bool KindRules::selectable(std::string_view field) const {
  return field == "metadata.name" || (field == "metadata.namespace" && type_.namespaced);
}

}  // namespace reprise::simulator
