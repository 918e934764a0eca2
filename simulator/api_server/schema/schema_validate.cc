#include <re2/re2.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "runtime/kube/time.h"
#include "simulator/api_server/schema/schema.h"
#include "simulator/api_server/store/equality.h"

namespace reprise::simulator {
namespace {

std::string_view name_of_type(Schema::Type type) {
  using Type = Schema::Type;
  switch (type) {
    case Type::Object:
      return "object";
    case Type::Array:
      return "array";
    case Type::String:
      return "string";
    case Type::Integer:
      return "integer";
    case Type::Number:
      return "number";
    case Type::Boolean:
      return "boolean";
    case Type::Any:
      break;
  }
  return "";
}

std::string_view found_type(const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return "boolean";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return "integer";
    case boost::json::kind::double_:
      return "number";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::array:
      return "array";
    case boost::json::kind::object:
      return "object";
  }
  return "";
}

bool has_type(const Schema& schema, const Value& value) {
  using Type = Schema::Type;
  const bool whole = value.is_int64() || value.is_uint64();
  if (schema.int_or_string) return whole || value.is_string();
  switch (schema.type) {
    case Type::Any:
      return true;
    case Type::Object:
      return value.is_object();
    case Type::Array:
      return value.is_array();
    case Type::String:
      return value.is_string();
    case Type::Integer:
      return whole || (value.is_double() && std::floor(value.get_double()) == value.get_double());
    case Type::Number:
      return value.is_number();
    case Type::Boolean:
      return value.is_bool();
  }
  return false;
}

// A number as Go prints a float.
std::string number_text(double number) {
  if (std::floor(number) == number && std::abs(number) < 1e15) return std::to_string(static_cast<std::int64_t>(number));
  return boost::json::serialize(Value(number));
}

std::size_t characters(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

class Validator {
 public:
  explicit Validator(std::vector<Cause>& wrong) : wrong_(wrong) {}

  void check(const Schema& schema, const Value& value, const Value* before, const std::string& path) {
    if (before != nullptr && equal(*before, value)) return;
    if (value.is_null() && schema.nullable) return;
    if (!has_type(schema, value)) return wrong_type(schema, value, path);
    check_enum(schema, value, path);
    if (value.is_string()) check_string(schema, value, path);
    if (value.is_number()) check_number(schema, value, path);
    if (value.is_array()) check_array(schema, value.get_array(), before, path);
    if (value.is_object()) check_object(schema, value.get_object(), before, path);
  }

 private:
  void say(std::string reason, std::string message, const std::string& path) {
    wrong_.push_back({std::move(reason), std::move(message), path.empty() ? "<nil>" : path});
  }
  void bad(const Value& value, const std::string& path, const std::string& rule) {
    say("FieldValueInvalid", "Invalid value: " + boost::json::serialize(value) + ": " + path + " in body " + rule,
        path);
  }

  void wrong_type(const Schema& schema, const Value& value, const std::string& path) {
    const std::string found(found_type(value));
    const std::string wanted = schema.int_or_string ? "integer,string" : std::string(name_of_type(schema.type));
    say("FieldValueTypeInvalid",
        "Invalid value: \"" + found + "\": " + path + " in body must be of type " + wanted + ": \"" + found + "\"",
        path);
  }

  void check_enum(const Schema& schema, const Value& value, const std::string& path) {
    if (schema.allowed.empty() || std::ranges::find(schema.allowed, value) != schema.allowed.end()) return;
    std::string supported;
    for (const Value& one : schema.allowed) {
      if (!supported.empty()) supported += ", ";
      supported += boost::json::serialize(one);
    }
    say("FieldValueNotSupported",
        "Unsupported value: " + boost::json::serialize(value) + ": supported values: " + supported, path);
  }

  void check_string(const Schema& schema, const Value& value, const std::string& path) {
    const std::string_view text(value.get_string().data(), value.get_string().size());
    const bool counted = schema.min_length || schema.max_length;
    const std::size_t size = counted ? characters(text) : 0;
    if (schema.max_length && size > *schema.max_length)
      say("FieldValueTooLong", "Too long: may not be more than " + std::to_string(*schema.max_length) + " bytes", path);
    if (schema.min_length && size < *schema.min_length)
      bad(value, path, "should be at least " + std::to_string(*schema.min_length) + " chars long");
    if (schema.matcher && !re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *schema.matcher))
      bad(value, path, "should match '" + schema.pattern + "'");
    if (schema.format == "date-time" && !kube::parse_time(text))
      say("FieldValueTypeInvalid",
          "Invalid value: " + boost::json::serialize(value) + ": " + path +
              " in body must be of type date-time: " + boost::json::serialize(value),
          path);
  }

  void check_number(const Schema& schema, const Value& value, const std::string& path) {
    const auto number = value.to_number<double>();
    if (schema.minimum && number < *schema.minimum)
      bad(value, path, "should be greater than or equal to " + number_text(*schema.minimum));
    if (schema.maximum && number > *schema.maximum)
      bad(value, path, "should be less than or equal to " + number_text(*schema.maximum));
    using Int32 = std::numeric_limits<std::int32_t>;
    if (schema.format == "int32" && (number < Int32::min() || number > Int32::max()))
      bad(value, path, "must be of type int32: " + boost::json::serialize(value));
  }

  void check_array(const Schema& schema, const JsonArray& elements, const Value* before, const std::string& path) {
    if (schema.max_items && elements.size() > *schema.max_items) {
      say("FieldValueTooMany",
          "Too many: " + std::to_string(elements.size()) + ": must have at most " + std::to_string(*schema.max_items) +
              " items",
          path);
    }
    if (schema.min_items && elements.size() < *schema.min_items) {
      say("FieldValueInvalid",
          "Invalid value: " + std::to_string(elements.size()) + ": " + path + " in body should have at least " +
              std::to_string(*schema.min_items) + " items",
          path);
    }
    check_unique(schema, elements, path);
    if (!schema.items) return;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      check(*schema.items, elements[i], earlier(schema, elements[i], before), path + "[" + std::to_string(i) + "]");
    }
  }

  // The element that this one was, where the list has keys for that.
  [[nodiscard]] static const Value* earlier(const Schema& schema, const Value& element, const Value* before) {
    if (before == nullptr || !before->is_array() || schema.list != Schema::List::Map) return nullptr;
    for (const Value& old : before->get_array()) {
      if (key_of_element(schema, old) == key_of_element(schema, element)) return &old;
    }
    return nullptr;
  }

  [[nodiscard]] static std::string key_of_element(const Schema& schema, const Value& element) {
    JsonObject key;
    for (const std::string& name : schema.map_keys) {
      if (const Value* part = find(element, {name})) key[name] = *part;
    }
    return boost::json::serialize(key);
  }

  void check_unique(const Schema& schema, const JsonArray& elements, const std::string& path) {
    if (schema.list == Schema::List::Atomic) return;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      std::string key =
          schema.list == Schema::List::Map ? key_of_element(schema, elements[i]) : boost::json::serialize(elements[i]);
      if (!seen.insert(key).second)
        say("FieldValueDuplicate", "Duplicate value: " + key, path + "[" + std::to_string(i) + "]");
    }
  }

  void check_object(const Schema& schema, const JsonObject& members, const Value* before, const std::string& path) {
    const auto below = [&](std::string_view name) {
      return path.empty() ? std::string(name) : path + "." + std::string(name);
    };
    for (const std::string& name : schema.required) {
      if (!members.contains(name)) say("FieldValueRequired", "Required value", below(name));
    }
    if (schema.max_properties && members.size() > *schema.max_properties) {
      say("FieldValueTooMany",
          "Too many: " + std::to_string(members.size()) + ": must have at most " +
              std::to_string(*schema.max_properties) + " items",
          path);
    }
    if (schema.min_properties && members.size() < *schema.min_properties) {
      say("FieldValueInvalid",
          "Invalid value: " + std::to_string(members.size()) + ": " + path + " in body should have at least " +
              std::to_string(*schema.min_properties) + " properties",
          path);
    }
    for (const auto& member : members) {
      const std::string_view name(member.key().data(), member.key().size());
      if (path.empty() && (name == "metadata" || name == "apiVersion" || name == "kind")) continue;
      const auto known = schema.properties.find(name);
      const Schema* of = known != schema.properties.end() ? &known->second : schema.additional.get();
      if (of != nullptr) check(*of, member.value(), before == nullptr ? nullptr : find(*before, {name}), below(name));
    }
  }

  std::vector<Cause>& wrong_;
};

}  // namespace

std::vector<Cause> validate(const Schema& schema, const Value& object, const Value* before) {
  std::vector<Cause> wrong;
  Validator(wrong).check(schema, object, before, "");
  // Rules cannot be evaluated on a missing field or one of another type; the server says so.
  constexpr std::string_view blocking[] = {"FieldValueRequired", "FieldValueTypeInvalid", "FieldValueNotSupported",
                                           "FieldValueTooLong", "FieldValueTooMany"};
  const bool blocked = std::ranges::any_of(
      wrong, [&](const Cause& cause) { return std::ranges::find(blocking, cause.reason) != std::end(blocking); });
  if (schema.has_rules && blocked) {
    wrong.push_back(invalid_value("<nil>", "null",
                                  "some validation rules were not checked because the object was invalid; correct the "
                                  "existing errors to complete validation"));
  }
  return wrong;
}

}  // namespace reprise::simulator
