#include "simulator/api_server/patch/patch_json.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::simulator {
namespace {

using Pointer = std::vector<std::string>;

std::optional<Pointer> read_pointer(const Value& operation, std::string_view member) {
  const Value* given = find(operation, {member});
  if (given == nullptr || !given->is_string()) return {};
  std::string_view rest = text(operation, {member});
  Pointer steps;
  if (rest.empty()) return steps;
  if (!rest.starts_with('/')) return {};
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t slash = rest.find('/');
    std::string step;
    const std::string_view raw = rest.substr(0, slash);
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '~' && i + 1 < raw.size() && (raw[i + 1] == '0' || raw[i + 1] == '1')) {
        step += raw[++i] == '0' ? '~' : '/';
      } else {
        step += raw[i];
      }
    }
    steps.push_back(std::move(step));
    rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash);
  }
  return steps;
}

std::optional<std::size_t> read_index(std::string_view step) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error != std::errc{} || end != step.data() + step.size()) return {};
  return index;
}

Value* child(Value& parent, const std::string& step) {
  if (JsonObject* object = parent.if_object()) return object->if_contains(step);
  JsonArray* array = parent.if_array();
  const auto index = array == nullptr ? std::nullopt : read_index(step);
  return index && *index < array->size() ? &(*array)[*index] : nullptr;
}

// The container of the last step.
Value* parent_of(Value& root, const Pointer& path) {
  Value* at = &root;
  for (std::size_t i = 0; i + 1 < path.size() && at != nullptr; ++i) at = child(*at, path[i]);
  return at != nullptr && (at->is_object() || at->is_array()) ? at : nullptr;
}

bool add(Value& root, const Pointer& path, Value value) {
  if (path.empty()) {
    root = std::move(value);
    return true;
  }
  Value* parent = parent_of(root, path);
  if (parent == nullptr) return false;
  if (JsonObject* object = parent->if_object()) {
    (*object)[path.back()] = std::move(value);
    return true;
  }
  JsonArray& array = parent->get_array();
  const auto index = path.back() == "-" ? std::optional(array.size()) : read_index(path.back());
  if (!index || *index > array.size()) return false;
  array.insert(array.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
  return true;
}

bool remove(Value& root, const Pointer& path) {
  Value* parent = path.empty() ? nullptr : parent_of(root, path);
  if (parent == nullptr || child(*parent, path.back()) == nullptr) return false;
  if (JsonObject* object = parent->if_object()) {
    object->erase(path.back());
  } else {
    JsonArray& array = parent->get_array();
    array.erase(array.begin() + static_cast<std::ptrdiff_t>(*read_index(path.back())));
  }
  return true;
}

bool replace(Value& root, const Pointer& path, Value value) {
  if (path.empty()) {
    root = std::move(value);
    return true;
  }
  Value* parent = parent_of(root, path);
  if (parent == nullptr) return false;
  if (JsonObject* object = parent->if_object()) {
    // A member that is not there is added, contrary to the standard.
    (*object)[path.back()] = std::move(value);
    return true;
  }
  Value* place = child(*parent, path.back());
  if (place == nullptr) return false;
  *place = std::move(value);
  return true;
}

const Value* look(Value& root, const Pointer& path) {
  Value* at = &root;
  for (const std::string& step : path) {
    at = child(*at, step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

// A missing value is null, as long as its parent is there.
bool test(Value& root, const Pointer& path, const Value& wanted) {
  if (!path.empty() && parent_of(root, path) == nullptr) return false;
  const Value* found = look(root, path);
  if (found == nullptr) {
    Value* parent = parent_of(root, path);
    return wanted.is_null() && parent != nullptr && parent->is_object();
  }
  return *found == wanted;
}

bool move_or_copy(Value& root, const Pointer& path, const Value& operation, bool moves) {
  const auto from = read_pointer(operation, "from");
  if (!from) return false;
  const Value* found = look(root, *from);
  if (found == nullptr) return false;
  Value value = *found;
  if (moves && !remove(root, *from)) return false;
  return add(root, path, std::move(value));
}

bool apply(Value& root, const Value& operation, std::string_view name, const Pointer& path) {
  const Value* given = find(operation, {"value"});
  const Value none;
  const Value& value = given == nullptr ? none : *given;
  if (name == "test") return test(root, path, value);
  if (name == "remove") return remove(root, path);
  if (name == "move") return move_or_copy(root, path, operation, true);
  if (name == "copy") return move_or_copy(root, path, operation, false);
  if (name == "add") return add(root, path, value);
  if (name == "replace") return replace(root, path, value);
  return false;
}

}  // namespace

Answer<void> apply_json_patch(Value& target, const Value& patch) {
  const JsonArray* operations = patch.if_array();
  if (operations == nullptr)
    return reject(bad_request(
        "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"));
  for (const Value& operation : *operations) {
    const auto path = read_pointer(operation, "path");
    if (!path || !apply(target, operation, text(operation, {"op"}), *path)) return reject(misfitting_patch());
  }
  return {};
}

}  // namespace reprise::simulator
