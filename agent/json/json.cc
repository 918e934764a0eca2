#include "agent/json/json.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace reprise::agent {

std::optional<boost::json::object> parse_object(std::string_view text) {
  boost::system::error_code problem;
  boost::json::parse_options options;
  options.allow_invalid_utf8 = true;  // the name of a directory on the volume, as it is
  const auto value = boost::json::parse(text, problem, {}, options);
  if (problem || !value.is_object()) return std::nullopt;
  return value.as_object();
}

std::string to_text(const boost::json::object& object) {
  return boost::json::serialize(object);
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

std::optional<bool> flag_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_bool()) return std::nullopt;
  return value->as_bool();
}

}  // namespace reprise::agent
