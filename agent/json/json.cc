#include "agent/json/json.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <utility>

namespace reprise::agent {

namespace {

enum class NotANumber { Refused, Allowed };

std::optional<boost::json::value> parse(std::string_view text, NotANumber not_a_number = NotANumber::Refused) {
  boost::system::error_code problem;
  boost::json::parse_options options;
  options.allow_infinity_and_nan = not_a_number == NotANumber::Allowed;
  options.allow_invalid_utf8 = true;  // the name of a directory on the volume, as it is
  auto value = boost::json::parse(text, problem, {}, options);
  if (problem) return std::nullopt;
  return value;
}

}  // namespace

std::optional<boost::json::object> parse_object(std::string_view text) {
  auto value = parse(text);
  if (!value || !value->is_object()) return std::nullopt;
  return std::move(value->as_object());
}

std::optional<boost::json::value> parse_python_json(std::string_view text) {
  return parse(text, NotANumber::Allowed);
}

std::optional<boost::json::array> parse_array(std::string_view text) {
  auto value = parse(text);
  if (!value || !value->is_array()) return std::nullopt;
  return std::move(value->as_array());
}

std::string to_text(const boost::json::object& object) {
  return boost::json::serialize(object);
}

std::string array_text(const boost::json::array& array) {
  return boost::json::serialize(array);
}

std::optional<std::string> text_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->as_string());
}

std::optional<std::int64_t> number_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->as_int64();
}

const boost::json::object* object_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

const boost::json::array* array_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_array();
}

std::optional<bool> flag_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_bool()) return std::nullopt;
  return value->as_bool();
}

}  // namespace reprise::agent
