#include "runtime/cache/watch/watch_event.h"

#include <simdjson.h>

#include "runtime/cache/internal/event_parts.h"
#include "runtime/client/status.h"

namespace reprise::runtime {
namespace {

using internal::malformed;

// On-demand parsing walks forwards: what lies in `metadata` is taken in one pass. Views into the parser's buffer.
struct Meta {
  std::string_view resource_version, continue_token, name, namespace_;
  bool initial_events_end = false;
};

simdjson::error_code read_meta(simdjson::ondemand::object metadata, Meta& meta) {
  for (auto field : metadata) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    std::string_view* target = nullptr;
    if (key == "resourceVersion")
      target = &meta.resource_version;
    else if (key == "continue")
      target = &meta.continue_token;
    else if (key == "name")
      target = &meta.name;
    else if (key == "namespace")
      target = &meta.namespace_;
    if (target != nullptr) {
      if (const auto error = field.value().get_string().get(*target)) return error;
    } else if (key == "annotations") {
      simdjson::ondemand::object annotations;
      if (const auto error = field.value().get_object().get(annotations)) return error;
      std::string_view end;
      if (!annotations.find_field_unordered("k8s.io/initial-events-end").get_string().get(end)) {
        meta.initial_events_end = end == "true";
      }
    }
  }
  return simdjson::SUCCESS;
}

simdjson::error_code read_object_meta(simdjson::ondemand::object object, Meta& meta) {
  simdjson::ondemand::object metadata;
  if (const auto error = object.find_field_unordered("metadata").get_object().get(metadata)) return error;
  return read_meta(metadata, meta);
}

// simdjson keeps its buffers per parser and wants one per thread.
simdjson::ondemand::parser& parser() {
  thread_local simdjson::ondemand::parser shared;
  return shared;
}

// The parser reads beyond the end of the text; so the text is copied to where that is allowed.
simdjson::padded_string_view padded(std::string_view text) {
  thread_local std::string buffer;
  if (buffer.capacity() > (4U << 20U) && text.size() < (1U << 20U)) std::string().swap(buffer);
  if (buffer.capacity() < text.size() + simdjson::SIMDJSON_PADDING) {
    buffer.reserve((text.size() + simdjson::SIMDJSON_PADDING) * 2);
  }
  buffer.assign(text);
  return simdjson::padded_string_view(buffer.data(), buffer.size(), buffer.capacity());
}

}  // namespace

Result<WatchEvent> parse_watch_event(std::string_view line) {
  const auto text = padded(line);
  simdjson::ondemand::document document;
  simdjson::ondemand::object root;
  if (parser().iterate(text).get(document) || document.get_object().get(root)) {
    return malformed("not a watch event", line);
  }
  WatchEvent event;
  std::string_view type_name, raw;
  simdjson::ondemand::object object;
  if (root.find_field_unordered("type").get_string().get(type_name))
    return malformed("a watch event without type", line);
  const auto type = internal::event_type_of(type_name);
  if (!type) return malformed("a watch event of unknown type", line);
  event.type = *type;
  if (root.find_field_unordered("object").get_object().get(object) || object.raw_json().get(raw)) {
    return malformed("a watch event without object", line);
  }
  const auto at = static_cast<std::size_t>(raw.data() - text.data());
  event.object = {line.substr(at, raw.size()), Encoding::Json};
  if (event.type == WatchEventType::Error) {
    event.error = decode_status(0, event.object.bytes);
    return event;
  }
  Meta meta;
  if (object.reset().error() || read_object_meta(object, meta)) return malformed("an object without metadata", line);
  if (meta.resource_version.empty()) return malformed("an object without resourceVersion", line);
  event.resource_version = meta.resource_version;
  event.initial_events_end = event.type == WatchEventType::Bookmark && meta.initial_events_end;
  return event;
}

std::optional<WatchEvent> split_watch_event(std::string_view line) {
  constexpr std::string_view head = R"({"type":")", middle = R"(","object":)";
  if (!line.starts_with(head)) return std::nullopt;
  line.remove_prefix(head.size());
  const std::size_t quote = line.find('"');
  if (quote == std::string_view::npos) return std::nullopt;
  const auto type = internal::event_type_of(line.substr(0, quote));
  line.remove_prefix(quote);
  if (!type || *type == WatchEventType::Bookmark || *type == WatchEventType::Error) return std::nullopt;
  if (!line.starts_with(middle)) return std::nullopt;
  line.remove_prefix(middle.size());
  if (!line.starts_with('{') || !line.ends_with("}}")) return std::nullopt;
  line.remove_suffix(1);
  return WatchEvent{.type = *type, .object = {line, Encoding::Json}};
}

Result<ListPage> parse_list_page(std::string_view json, const std::function<void(std::string_view)>& item) {
  simdjson::ondemand::document document;
  simdjson::ondemand::object root;
  if (parser().iterate(padded(json)).get(document) || document.get_object().get(root)) {
    return malformed("not a list", json);
  }
  ListPage page;
  bool has_metadata = false;
  for (auto field : root) {
    std::string_view key;
    if (field.unescaped_key().get(key)) return malformed("a broken list", json);
    if (key == "metadata") {
      Meta meta;
      simdjson::ondemand::object metadata;
      if (field.value().get_object().get(metadata) || read_meta(metadata, meta)) {
        return malformed("a list with broken metadata", json);
      }
      has_metadata = true;
      page.resource_version = meta.resource_version;
      page.continue_token = meta.continue_token;
    } else if (key == "items") {
      simdjson::ondemand::array items;
      if (field.value().get_array().get(items)) continue;  // null for an empty list
      for (auto element : items) {
        simdjson::ondemand::object object;
        std::string_view raw;
        if (element.get_object().get(object) || object.raw_json().get(raw)) {
          return malformed("a list with a broken item", json);
        }
        ++page.items;
        item(raw);
      }
    }
  }
  if (!has_metadata || page.resource_version.empty()) return malformed("a list without resourceVersion", json);
  return page;
}

ObjectKey internal::peek_json_key(std::string_view object) {
  // Its own parser and buffer: this is called while the shared ones are in use.
  simdjson::ondemand::parser own;
  const simdjson::padded_string text(object);
  simdjson::ondemand::document document;
  simdjson::ondemand::object root;
  Meta meta;
  if (own.iterate(text).get(document) || document.get_object().get(root) || read_object_meta(root, meta)) return {};
  return {std::string(meta.namespace_), std::string(meta.name)};
}

std::string_view name(WatchEventType type) {
  for (const auto& [text, value] : internal::event_types) {
    if (value == type) return text;
  }
  return "UNKNOWN";
}

ObjectKey peek_key(const EncodedObject& object) {
  return object.encoding == Encoding::Json ? internal::peek_json_key(object.bytes)
                                           : internal::peek_protobuf_key(object.bytes);
}

}  // namespace reprise::runtime
