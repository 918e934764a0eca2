#include "simulator/base/json.h"

#include <utility>

namespace reprise::simulator {

const Value* find(const Value& value, Path path) {
  const Value* at = &value;
  for (const std::string_view step : path) {
    const JsonObject* object = at->if_object();
    at = object == nullptr ? nullptr : object->if_contains(step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

Value* find(Value& value, Path path) {
  return const_cast<Value*>(find(std::as_const(value), path));
}

std::string_view text(const Value& value, Path path) {
  const Value* at = find(value, path);
  const boost::json::string* found = at == nullptr ? nullptr : at->if_string();
  return found == nullptr ? std::string_view{} : std::string_view(found->data(), found->size());
}

std::int64_t number(const Value& value, Path path, std::int64_t otherwise) {
  const Value* at = find(value, path);
  if (at == nullptr) return otherwise;
  if (const auto* whole = at->if_int64()) return *whole;
  if (const auto* unsigned_ = at->if_uint64()) return static_cast<std::int64_t>(*unsigned_);
  if (const auto* real = at->if_double()) return static_cast<std::int64_t>(*real);
  return otherwise;
}

bool flag(const Value& value, Path path) {
  const Value* at = find(value, path);
  const bool* found = at == nullptr ? nullptr : at->if_bool();
  return found != nullptr && *found;
}

const JsonArray& array(const Value& value, Path path) {
  static const JsonArray none;
  const Value* at = find(value, path);
  const JsonArray* found = at == nullptr ? nullptr : at->if_array();
  return found == nullptr ? none : *found;
}

const JsonObject& object(const Value& value, Path path) {
  static const JsonObject none;
  const Value* at = find(value, path);
  const JsonObject* found = at == nullptr ? nullptr : at->if_object();
  return found == nullptr ? none : *found;
}

void set(Value& value, Path path, Value to) {
  Value* at = &value;
  for (const std::string_view step : path) {
    if (!at->is_object()) at->emplace_object();
    at = &at->get_object()[step];
  }
  *at = std::move(to);
}

void unset(Value& value, Path path) {
  if (path.size() == 0) return;
  Value* at = &value;
  const auto* const last = path.end() - 1;
  for (const auto* step = path.begin(); step != last; ++step) {
    JsonObject* object = at->if_object();
    at = object == nullptr ? nullptr : object->if_contains(*step);
    if (at == nullptr) return;
  }
  if (JsonObject* object = at->if_object()) object->erase(*last);
}

}  // namespace reprise::simulator
