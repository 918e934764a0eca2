// The one place of the runtime that reads JSON with jsoncpp, for small texts: statuses, leases, options. Writing is
// compact_json of runtime/base/json_tree.h.
#pragma once

#include <json/value.h>

#include <optional>
#include <string>
#include <string_view>

namespace reprise::runtime::internal {

// Strict, and safe against deep nesting; nothing when it is no JSON.
[[nodiscard]] std::optional<Json::Value> parse_json(std::string_view text);

// Members are looked up without making them: null, "" or 0 when absent or of another type.
[[nodiscard]] const Json::Value& member(const Json::Value& object, std::string_view name);
[[nodiscard]] std::string text_of(const Json::Value& object, std::string_view name);
[[nodiscard]] std::int64_t number_of(const Json::Value& object, std::string_view name);

}  // namespace reprise::runtime::internal
