#include <algorithm>
#include <utility>

#include "simulator/api_server/schema.h"

namespace reprise::simulator {
namespace {

Schema::Type type_of(std::string_view name) {
  using Type = Schema::Type;
  if (name == "object") return Type::Object;
  if (name == "array") return Type::Array;
  if (name == "string") return Type::String;
  if (name == "integer") return Type::Integer;
  if (name == "number") return Type::Number;
  if (name == "boolean") return Type::Boolean;
  return Type::Any;
}

std::optional<double> real_number(const Value& json, std::string_view name) {
  const Value* found = find(json, {name});
  if (found == nullptr || !found->is_number()) return {};
  return found->to_number<double>();
}

std::optional<std::uint64_t> count(const Value& json, std::string_view name) {
  if (find(json, {name}) == nullptr) return {};
  return static_cast<std::uint64_t>(number(json, {name}));
}

std::vector<std::string> texts(const Value& json, std::string_view name) {
  std::vector<std::string> found;
  for (const Value& one : array(json, {name})) found.emplace_back(text(one, {}));
  return found;
}

void read_limits(const Value& json, Schema& schema) {
  schema.minimum = real_number(json, "minimum");
  schema.maximum = real_number(json, "maximum");
  schema.min_length = count(json, "minLength");
  schema.max_length = count(json, "maxLength");
  schema.min_items = count(json, "minItems");
  schema.max_items = count(json, "maxItems");
  schema.min_properties = count(json, "minProperties");
  schema.max_properties = count(json, "maxProperties");
  schema.pattern = text(json, {"pattern"});
  if (!schema.pattern.empty()) schema.matcher.emplace(schema.pattern, std::regex::ECMAScript | std::regex::optimize);
  for (const Value& one : array(json, {"enum"})) schema.allowed.push_back(one);
}

bool rules_below(const Schema& schema) {
  return (schema.items && schema.items->has_rules) || (schema.additional && schema.additional->has_rules) ||
         std::ranges::any_of(schema.properties, [](const auto& below) { return below.second.has_rules; });
}

}  // namespace

Schema read_schema(const Value& json) {
  Schema schema;
  schema.type = type_of(text(json, {"type"}));
  schema.nullable = flag(json, {"nullable"});
  schema.int_or_string = flag(json, {"x-kubernetes-int-or-string"});
  schema.preserve_unknown = flag(json, {"x-kubernetes-preserve-unknown-fields"});
  schema.format = text(json, {"format"});
  schema.required = texts(json, "required");
  read_limits(json, schema);
  if (const Value* value = find(json, {"default"})) schema.default_value = *value;
  for (const auto& [name, below] : object(json, {"properties"})) schema.properties.emplace(name, read_schema(below));
  if (const Value* items = find(json, {"items"})) schema.items = std::make_unique<Schema>(read_schema(*items));
  if (const Value* more = find(json, {"additionalProperties"})) {
    if (more->is_object()) {
      schema.additional = std::make_unique<Schema>(read_schema(*more));
    } else if (flag(*more, {})) {
      schema.additional = std::make_unique<Schema>();
      schema.additional->preserve_unknown = true;
    }
  }
  const std::string_view list = text(json, {"x-kubernetes-list-type"});
  if (list == "map") schema.list = Schema::List::Map;
  if (list == "set") schema.list = Schema::List::Set;
  schema.map_keys = texts(json, "x-kubernetes-list-map-keys");
  schema.has_rules = !array(json, {"x-kubernetes-validations"}).empty() || rules_below(schema);
  return schema;
}

}  // namespace reprise::simulator
