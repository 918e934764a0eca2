// The structural schema of a custom resource (openAPIV3Schema as CustomResourceDefinitions allow it; CEL rules are left
// out).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "simulator/api_server/wire/rejection.h"
#include "simulator/base/json.h"

namespace re2 {
class RE2;
}

namespace reprise::simulator {

struct Schema {
  enum class Type { Any, Object, Array, String, Integer, Number, Boolean };
  enum class List { Atomic, Set, Map };

  Type type = Type::Any;
  bool nullable = false, int_or_string = false, preserve_unknown = false;
  std::map<std::string, Schema, std::less<>> properties;
  std::unique_ptr<Schema> items;
  std::unique_ptr<Schema> additional;  // values of maps
  std::vector<std::string> required;
  std::optional<Value> default_value;
  std::vector<Value> allowed;  // enum
  std::optional<double> minimum, maximum;
  std::optional<std::uint64_t> min_length, max_length, min_items, max_items, min_properties, max_properties;
  std::string pattern;
  std::shared_ptr<const re2::RE2> matcher;  // the grammar of Go's regexp, which the API server's own is
  std::string format;
  List list = List::Atomic;
  std::vector<std::string> map_keys;
  bool has_rules = false;  // CEL rules, here or below
};

// Reads the JSON form of an openAPIV3Schema. A pattern that cannot be read is an error.
[[nodiscard]] runtime::Result<Schema> read_schema(const Value& json);

// Takes away the fields that the schema does not know. The root keeps apiVersion, kind and metadata. `before`, here and
// below: the stored object; a part that did not change since is not looked at again. nullptr for new objects.
void prune(const Schema& schema, Value& object, const Value* before);
// Puts in defaults of fields that were left out.
void set_defaults(const Schema& schema, Value& object, const Value* before);
[[nodiscard]] std::vector<Cause> validate(const Schema& schema, const Value& object, const Value* before);

}  // namespace reprise::simulator
