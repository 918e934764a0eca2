#include "runtime/internal/json.h"

#include <json/reader.h>

#include <memory>

namespace reprise::runtime::internal {

namespace {

// Kept: making one costs as much as reading a small text.
Json::CharReaderBuilder strict_reader() {
  Json::CharReaderBuilder builder;
  builder["collectComments"] = false;
  builder["allowComments"] = false;
  builder["failIfExtra"] = true;
  builder["rejectDupKeys"] = true;
  builder["stackLimit"] = 64;
  return builder;
}

}  // namespace

std::optional<Json::Value> parse_json(std::string_view text) {
  static const Json::CharReaderBuilder builder = strict_reader();
  const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
  Json::Value value;
  try {
    if (!reader->parse(text.data(), text.data() + text.size(), &value, nullptr)) return std::nullopt;
  } catch (const Json::Exception&) {
    return std::nullopt;  // the stack limit throws
  }
  return value;
}

const Json::Value& member(const Json::Value& object, std::string_view name) {
  if (!object.isObject()) return Json::Value::nullSingleton();
  const Json::Value* found = object.find(name.data(), name.data() + name.size());
  return found == nullptr ? Json::Value::nullSingleton() : *found;
}

std::string text_of(const Json::Value& object, std::string_view name) {
  const Json::Value& value = member(object, name);
  return value.isString() ? value.asString() : std::string();
}

std::int64_t number_of(const Json::Value& object, std::string_view name) {
  const Json::Value& value = member(object, name);
  return value.isInt64() ? value.asInt64() : 0;
}

}  // namespace reprise::runtime::internal
