#pragma once

#include <json/value.h>

#include <optional>
#include <string_view>

namespace reprise::runtime::internal {

// A metav1.Status in protobuf as the JSON tree that it would have been; nothing when it is none.
[[nodiscard]] std::optional<Json::Value> read_protobuf_status(std::string_view body);

}  // namespace reprise::runtime::internal
