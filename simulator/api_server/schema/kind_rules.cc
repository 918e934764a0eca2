#include "simulator/api_server/schema/kind_rules.h"

#include <utility>

#include "simulator/api_server/store/equality.h"

namespace reprise::simulator {
namespace {

// Copies only different members.
void keep(const Value& before, Value& after, std::string_view member) {
  JsonObject& members = after.get_object();
  const Value* old = before.get_object().if_contains(member);
  if (old == nullptr) {
    members.erase(member);
    return;
  }
  Value& now = members[member];
  if (!equal(now, *old)) now = *old;
}

}  // namespace

void KindRules::keep_other_parts(const Value& before, Value& after, Part part) const {
  if (!type_.status_subresource) return;
  if (part == Part::Main) return keep(before, after, "status");
  if (part != Part::Status) return;
  JsonObject& members = after.get_object();
  const auto written = [](std::string_view member) { return member == "status" || member == "metadata"; };
  for (const auto& member : before.get_object()) {
    if (!written(member.key())) keep(before, after, member.key());
  }
  for (auto at = members.begin(); at != members.end();) {
    const bool stays = written(at->key()) || before.get_object().contains(at->key());
    at = stays ? at + 1 : members.erase(at);
  }
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
