// Shared by the readers of both encodings.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/cache/watch/watch_event.h"

namespace reprise::runtime::internal {

inline constexpr std::array<std::pair<std::string_view, WatchEventType>, 5> event_types{
    {{"ADDED", WatchEventType::Added},
     {"MODIFIED", WatchEventType::Modified},
     {"DELETED", WatchEventType::Deleted},
     {"BOOKMARK", WatchEventType::Bookmark},
     {"ERROR", WatchEventType::Error}}};

[[nodiscard]] inline std::optional<WatchEventType> event_type_of(std::string_view name) {
  for (const auto& [text, type] : event_types) {
    if (text == name) return type;
  }
  return std::nullopt;
}

[[nodiscard]] inline std::unexpected<Error> malformed(std::string_view what, std::string_view text) {
  return fail(ErrorClass::Terminal, std::string(what) + ": " + std::string(text.substr(0, 100)));
}

[[nodiscard]] ObjectKey peek_json_key(std::string_view object);
[[nodiscard]] ObjectKey peek_protobuf_key(std::string_view object);

}  // namespace reprise::runtime::internal
