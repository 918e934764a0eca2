#include "simulator/actors/support/selection.h"

#include <algorithm>
#include <charconv>

namespace reprise::simulator {
namespace {

std::int64_t whole(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

Labels read_labels(const JsonObject& labels) {
  Labels out;
  for (const auto& each : labels)
    if (each.value().is_string()) out[std::string(each.key())] = std::string(each.value().get_string());
  return out;
}

Value write_labels(const Labels& labels) {
  JsonObject out;
  for (const auto& [key, value] : labels) out[key] = value;
  return out;
}

Requirements read_requirements(const JsonArray& requirements) {
  Requirements out;
  for (const Value& each : requirements) {
    Requirement made{
        .key = std::string(text(each, {"key"})), .op = std::string(text(each, {"operator"})), .values = {}};
    for (const Value& value : array(each, {"values"}))
      if (value.is_string()) made.values.emplace_back(value.get_string());
    out.push_back(std::move(made));
  }
  return out;
}

bool satisfies(const Requirement& requirement, std::optional<std::string_view> value) {
  const auto listed = [&] { return std::ranges::find(requirement.values, *value) != requirement.values.end(); };
  if (requirement.op == "In") return value && listed();
  if (requirement.op == "NotIn") return !value || !listed();
  if (requirement.op == "Exists") return value.has_value();
  if (requirement.op == "DoesNotExist") return !value;
  if (requirement.values.empty() || !value) return false;
  if (requirement.op == "Gt") return whole(*value) > whole(requirement.values.front());
  if (requirement.op == "Lt") return whole(*value) < whole(requirement.values.front());
  return false;
}

bool satisfies(const Requirements& requirements, const Labels& labels) {
  return std::ranges::all_of(requirements, [&](const Requirement& each) {
    const auto found = labels.find(each.key);
    return satisfies(each, found == labels.end() ? std::nullopt : std::optional<std::string_view>(found->second));
  });
}

Taints read_taints(const JsonArray& taints) {
  Taints out;
  for (const Value& each : taints)
    out.push_back(
        {std::string(text(each, {"key"})), std::string(text(each, {"value"})), std::string(text(each, {"effect"}))});
  return out;
}

Value write_taints(const Taints& taints) {
  JsonArray out;
  for (const Taint& each : taints) {
    JsonObject made{{"key", each.key}, {"effect", each.effect}};
    if (!each.value.empty()) made["value"] = each.value;
    out.emplace_back(std::move(made));
  }
  return out;
}

Tolerations read_tolerations(const JsonArray& tolerations) {
  Tolerations out;
  for (const Value& each : tolerations) {
    Toleration made{.key = std::string(text(each, {"key"})),
                    .op = std::string(text(each, {"operator"})),
                    .value = std::string(text(each, {"value"})),
                    .effect = std::string(text(each, {"effect"})),
                    .seconds = {}};
    if (find(each, {"tolerationSeconds"}) != nullptr) made.seconds = number(each, {"tolerationSeconds"});
    out.push_back(std::move(made));
  }
  return out;
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  const bool exists = toleration.op == "Exists";
  if (toleration.key.empty()) return exists;
  return toleration.key == taint.key && (exists || toleration.value == taint.value);
}

bool tolerates(const Tolerations& tolerations, const Taint& taint) {
  return std::ranges::any_of(tolerations, [&](const Toleration& each) { return tolerates(each, taint); });
}

const Taint* untolerated(const Tolerations& tolerations, const Taints& taints) {
  for (const Taint& each : taints)
    if (each.effect != "PreferNoSchedule" && !tolerates(tolerations, each)) return &each;
  return nullptr;
}

bool has_taint(const Value& node, std::string_view key, std::string_view effect) {
  return std::ranges::any_of(array(node, {"spec", "taints"}), [&](const Value& each) {
    return text(each, {"key"}) == key && (effect.empty() || text(each, {"effect"}) == effect);
  });
}

void add_taint(Value& node, const Taint& taint, std::string_view now) {
  if (has_taint(node, taint.key, taint.effect)) return;
  JsonArray taints = array(node, {"spec", "taints"});
  JsonObject made{{"key", taint.key}, {"effect", taint.effect}};
  if (!taint.value.empty()) made["value"] = taint.value;
  if (taint.effect == "NoExecute") made["timeAdded"] = now;
  taints.emplace_back(std::move(made));
  set(node, {"spec", "taints"}, std::move(taints));
}

void remove_taint(Value& node, std::string_view key) {
  if (!has_taint(node, key)) return;
  JsonArray kept;
  for (const Value& each : array(node, {"spec", "taints"}))
    if (text(each, {"key"}) != key) kept.push_back(each);
  if (kept.empty())
    unset(node, {"spec", "taints"});
  else
    set(node, {"spec", "taints"}, std::move(kept));
}

}  // namespace reprise::simulator
