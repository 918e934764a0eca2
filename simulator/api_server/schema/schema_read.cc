#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "simulator/api_server/schema/schema.h"

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

runtime::Result<std::shared_ptr<const re2::RE2>> compiled(const std::string& pattern) {
  auto matcher = std::make_shared<const re2::RE2>(pattern, re2::RE2::Quiet);
  if (matcher->ok()) return matcher;
  return runtime::fail(runtime::ErrorClass::Invalid,
                       "the pattern '" + pattern + "' cannot be read: " + matcher->error());
}

runtime::Result<void> read_limits(const Value& json, Schema& schema) {
  schema.minimum = real_number(json, "minimum");
  schema.maximum = real_number(json, "maximum");
  schema.min_length = count(json, "minLength");
  schema.max_length = count(json, "maxLength");
  schema.min_items = count(json, "minItems");
  schema.max_items = count(json, "maxItems");
  schema.min_properties = count(json, "minProperties");
  schema.max_properties = count(json, "maxProperties");
  schema.pattern = text(json, {"pattern"});
  for (const Value& one : array(json, {"enum"})) schema.allowed.push_back(one);
  if (schema.pattern.empty()) return {};
  auto matcher = compiled(schema.pattern);
  if (!matcher) return std::unexpected(std::move(matcher).error());
  schema.matcher = *std::move(matcher);
  return {};
}

runtime::Result<std::unique_ptr<Schema>> read_owned(const Value& json) {
  auto schema = read_schema(json);
  if (!schema) return std::unexpected(std::move(schema).error());
  return std::make_unique<Schema>(*std::move(schema));
}

// Properties, items and values of maps.
runtime::Result<void> read_below(const Value& json, Schema& schema) {
  for (const auto& [name, below] : object(json, {"properties"})) {
    auto property = read_schema(below);
    if (!property) return std::unexpected(std::move(property).error());
    schema.properties.emplace(name, *std::move(property));
  }
  if (const Value* items = find(json, {"items"})) {
    auto read = read_owned(*items);
    if (!read) return std::unexpected(std::move(read).error());
    schema.items = *std::move(read);
  }
  const Value* more = find(json, {"additionalProperties"});
  if (more == nullptr) return {};
  if (more->is_object()) {
    auto read = read_owned(*more);
    if (!read) return std::unexpected(std::move(read).error());
    schema.additional = *std::move(read);
  } else if (flag(*more, {})) {
    schema.additional = std::make_unique<Schema>();
    schema.additional->preserve_unknown = true;
  }
  return {};
}

bool rules_below(const Schema& schema) {
  return (schema.items && schema.items->has_rules) || (schema.additional && schema.additional->has_rules) ||
         std::ranges::any_of(schema.properties, [](const auto& below) { return below.second.has_rules; });
}

}  // namespace

runtime::Result<Schema> read_schema(const Value& json) {
  Schema schema;
  schema.type = type_of(text(json, {"type"}));
  schema.nullable = flag(json, {"nullable"});
  schema.int_or_string = flag(json, {"x-kubernetes-int-or-string"});
  schema.preserve_unknown = flag(json, {"x-kubernetes-preserve-unknown-fields"});
  schema.format = text(json, {"format"});
  schema.required = texts(json, "required");
  if (const Value* value = find(json, {"default"})) schema.default_value = *value;
  if (auto limits = read_limits(json, schema); !limits) return std::unexpected(std::move(limits).error());
  if (auto below = read_below(json, schema); !below) return std::unexpected(std::move(below).error());
  const std::string_view list = text(json, {"x-kubernetes-list-type"});
  if (list == "map") schema.list = Schema::List::Map;
  if (list == "set") schema.list = Schema::List::Set;
  schema.map_keys = texts(json, "x-kubernetes-list-map-keys");
  schema.has_rules = !array(json, {"x-kubernetes-validations"}).empty() || rules_below(schema);
  return schema;
}

}  // namespace reprise::simulator
