// Checks that an answer of 2xx came from Kubernetes and is whole. Gateways answer 200 with pages of their own, and a
// connection that breaks can look like an orderly end.
#pragma once

#include <string_view>

namespace reprise::runtime {

// True for one JSON object that is closed, or a protobuf envelope (whose reader sees by itself where it breaks off).
// `content_type` may be empty: unknown.
[[nodiscard]] bool is_whole_answer(std::string_view content_type, std::string_view body);

}  // namespace reprise::runtime
