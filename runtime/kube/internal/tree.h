// Builds and changes JSON trees to be sent. For .cc files of this folder.
#pragma once

#include <json/value.h>

#include <expected>
#include <string>
#include <string_view>

#include "runtime/kube/meta.h"

namespace reprise::kube::internal {

// Compact text, UTF-8 as it is.
[[nodiscard]] std::string to_text(const Json::Value& tree);
// Rejects what the readers reject: size, depth, bytes that are not UTF-8.
[[nodiscard]] std::expected<Json::Value, DecodeError> parse_tree(std::string_view json);
// The same for text that this process has decoded before; an empty object when it is not JSON.
[[nodiscard]] Json::Value parse_trusted(std::string_view json);

[[nodiscard]] Json::Value to_tree(const StringMap& map);

}  // namespace reprise::kube::internal
