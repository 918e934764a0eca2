#include "runtime/cache/watch_event.h"

#include <simdjson.h>

#include <optional>

#include "runtime/client/status.h"

namespace reprise::runtime {
namespace {

std::unexpected<Error> malformed(std::string_view what, std::string_view text) {
  return fail(ErrorClass::Terminal, std::string(what) + ": " + std::string(text.substr(0, 100)));
}

std::optional<WatchEventType> type_of(std::string_view name) {
  if (name == "ADDED") return WatchEventType::Added;
  if (name == "MODIFIED") return WatchEventType::Modified;
  if (name == "DELETED") return WatchEventType::Deleted;
  if (name == "BOOKMARK") return WatchEventType::Bookmark;
  if (name == "ERROR") return WatchEventType::Error;
  return std::nullopt;
}

// On-demand parsing walks forwards: what lies in `metadata` is taken in one pass.
struct Meta {
  std::string resource_version, continue_token, name, namespace_;
  bool initial_events_end = false;
};

simdjson::error_code read_meta(simdjson::ondemand::object metadata, Meta& meta) {
  for (auto field : metadata) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    std::string* target = nullptr;
    if (key == "resourceVersion")
      target = &meta.resource_version;
    else if (key == "continue")
      target = &meta.continue_token;
    else if (key == "name")
      target = &meta.name;
    else if (key == "namespace")
      target = &meta.namespace_;
    if (target != nullptr) {
      std::string_view value;
      if (const auto error = field.value().get_string().get(value)) return error;
      *target = value;
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
  const auto type = type_of(type_name);
  if (!type) return malformed("a watch event of unknown type", line);
  event.type = *type;
  if (root.find_field_unordered("object").get_object().get(object) || object.raw_json().get(raw)) {
    return malformed("a watch event without object", line);
  }
  const auto at = static_cast<std::size_t>(raw.data() - text.data());
  event.object = line.substr(at, raw.size());
  if (event.type == WatchEventType::Error) {
    event.error = decode_status(0, event.object);
    return event;
  }
  Meta meta;
  if (object.reset().error() || read_object_meta(object, meta)) return malformed("an object without metadata", line);
  event.resource_version = std::move(meta.resource_version);
  event.initial_events_end = event.type == WatchEventType::Bookmark && meta.initial_events_end;
  return event;
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
      page.resource_version = std::move(meta.resource_version);
      page.continue_token = std::move(meta.continue_token);
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

ObjectKey peek_key(std::string_view object) {
  // Its own parser and buffer: this is called while the shared ones are in use.
  simdjson::ondemand::parser own;
  const simdjson::padded_string text(object);
  simdjson::ondemand::document document;
  simdjson::ondemand::object root;
  Meta meta;
  if (own.iterate(text).get(document) || document.get_object().get(root) || read_object_meta(root, meta)) return {};
  return {meta.namespace_, meta.name};
}

}  // namespace reprise::runtime
