// Times as clouds and the API server write them, in UTC and whole seconds. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::node_agent {

// "2026-01-01T00:00:00Z", "21 Jan 2026 09:00:43 GMT", "Mon, 19 Sep 2026 18:29:47 GMT"; nothing where it is none of
// these.
[[nodiscard]] std::optional<std::chrono::sys_seconds> parse_cloud_time(std::string_view text);

// "2026-01-01T00:00:00Z"
[[nodiscard]] std::string time_text(std::chrono::sys_seconds time);

}  // namespace reprise::node_agent
