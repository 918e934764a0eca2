// One event of a watch, one page of a list: what the runtime itself reads of them, in both encodings. Objects stay
// bytes for their decoder.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/base/object_key.h"
#include "runtime/cache/encoding.h"

namespace reprise::runtime {

enum class WatchEventType { Added, Modified, Deleted, Bookmark, Error };
[[nodiscard]] std::string_view name(WatchEventType type);

// Its views live as long as the bytes it was read from and until the next event or page is read on this thread.
struct WatchEvent {
  WatchEventType type = WatchEventType::Bookmark;
  EncodedObject object;
  std::string_view resource_version;         // the object's
  bool initial_events_end = false;           // the bookmark that ends a streamed list
  Error error;                               // type Error: what the Status means
  std::shared_ptr<const void> decoded = {};  // the object in the type of the sink, when that was needed for the version
};

// One line without its line feed, or one frame without its length. Terminal when it is no watch event.
[[nodiscard]] Result<WatchEvent> parse_watch_event(std::string_view line);
[[nodiscard]] Result<WatchEvent> parse_protobuf_watch_event(std::string_view frame);
[[nodiscard]] inline Result<WatchEvent> parse_watch_event(std::string_view bytes, Encoding encoding) {
  return encoding == Encoding::Json ? parse_watch_event(bytes) : parse_protobuf_watch_event(bytes);
}

// An object's event in JSON, in the shape that API servers write: its type and its object's bytes, found without
// parsing them; the decoder of the object reads the version. Empty for any other line: use parse_watch_event() then.
[[nodiscard]] std::optional<WatchEvent> split_watch_event(std::string_view line);

struct ListPage {
  std::string resource_version, continue_token;
  std::size_t items = 0;
};
// Calls `item` with the bytes of each item.
[[nodiscard]] Result<ListPage> parse_list_page(std::string_view json,
                                               const std::function<void(std::string_view)>& item);
[[nodiscard]] Result<ListPage> parse_protobuf_list_page(std::string_view bytes,
                                                        const std::function<void(std::string_view)>& item);

// metadata.namespace and metadata.name, as far as they are there: for the log.
[[nodiscard]] ObjectKey peek_key(const EncodedObject& object);

}  // namespace reprise::runtime
