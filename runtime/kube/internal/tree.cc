#include "runtime/kube/internal/tree.h"

#include <json/reader.h>

#include <exception>
#include <memory>

#include "runtime/base/json_tree.h"
#include "runtime/kube/internal/reader.h"

namespace reprise::kube::internal {

namespace {

// Kept: making one costs as much as reading a small text.
Json::CharReaderBuilder deep_reader() {
  Json::CharReaderBuilder builder;
  builder["stackLimit"] = static_cast<int>(kMaxDepth) + 2;
  return builder;
}

}  // namespace

std::string to_text(const Json::Value& tree) {
  return runtime::compact_json(tree);
}

std::expected<Json::Value, DecodeError> parse_tree(std::string_view json) {
  // simdjson decides whether the text is JSON; jsoncpp only builds the tree.
  if (const auto checked = open_document(json); !checked) return std::unexpected(checked.error());
  static const Json::CharReaderBuilder builder = deep_reader();
  const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
  Json::Value tree;
  std::string problem;
  try {
    if (reader->parse(json.data(), json.data() + json.size(), &tree, &problem)) return tree;
  } catch (const std::exception& error) {
    problem = error.what();
  }
  return std::unexpected(DecodeError{.path = {}, .message = "is not JSON: " + problem});
}

Json::Value parse_trusted(std::string_view json) {
  return parse_tree(json).value_or(Json::Value(Json::objectValue));
}

Json::Value to_tree(const StringMap& map) {
  Json::Value tree(Json::objectValue);
  for (const auto& [key, value] : map) tree[std::string(key)] = std::string(value);
  return tree;
}

}  // namespace reprise::kube::internal
