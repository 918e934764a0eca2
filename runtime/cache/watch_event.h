// One line of a watch, one page of a list: what the runtime itself reads of them. Objects stay text for their decoder.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/base/object_key.h"

namespace reprise::runtime {

enum class WatchEventType { Added, Modified, Deleted, Bookmark, Error };

struct WatchEvent {
  WatchEventType type = WatchEventType::Bookmark;
  std::string_view object;          // JSON; a view into the line
  std::string resource_version;     // of the object
  bool initial_events_end = false;  // the bookmark that ends a streamed list
  Error error;                      // type Error: what the Status means
};

// `line` without its line feed. Terminal when it is no watch event.
[[nodiscard]] Result<WatchEvent> parse_watch_event(std::string_view line);

struct ListPage {
  std::string resource_version, continue_token;
  std::size_t items = 0;
};
// Calls `item` with the JSON of each item.
[[nodiscard]] Result<ListPage> parse_list_page(std::string_view json,
                                               const std::function<void(std::string_view)>& item);

// metadata.namespace and metadata.name, as far as they are there: for the log.
[[nodiscard]] ObjectKey peek_key(std::string_view object);

}  // namespace reprise::runtime
