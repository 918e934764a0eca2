// Events and pages in protobuf; the numbers are those of k8s.io/apimachinery's meta/v1 and runtime.
#include "runtime/cache/internal/event_parts.h"
#include "runtime/client/status.h"
#include "runtime/kube/protobuf/protobuf.h"

namespace reprise::runtime {
namespace {

using internal::malformed;
using kube::protobuf::Message;

struct EventMeta {
  std::string_view resource_version, name, namespace_;
  bool initial_events_end = false;
};

void read_annotation(const Message& annotation, EventMeta& meta) {
  std::string_view key, value;
  for (Message entry = annotation.message(); entry.next();) {
    if (entry.field() == 1) key = entry.bytes();
    if (entry.field() == 2) value = entry.bytes();
  }
  if (key == "k8s.io/initial-events-end") meta.initial_events_end = value == "true";
}

// `metadata` comes first in every object, and its version before what takes long to walk.
void read_meta(const Message& object, bool with_annotations, EventMeta& meta) {
  for (Message field = object.message(); field.next();) {
    if (field.field() == 1) meta.name = field.bytes();
    if (field.field() == 3) meta.namespace_ = field.bytes();
    if (field.field() == 6) {
      meta.resource_version = field.bytes();
      if (!with_annotations) return;
    }
    if (field.field() == 12) read_annotation(field, meta);
  }
}

auto meta_of(std::string_view object, bool with_annotations) {
  return kube::protobuf::decode<EventMeta>(
      object,
      [with_annotations](Message& root, EventMeta& meta) {
        while (root.next()) {
          if (root.field() == 1) return read_meta(root, with_annotations, meta);
        }
      },
      std::string_view::npos);
}

struct Event {
  std::string_view type, object;
};

auto read_event(std::string_view frame) {
  return kube::protobuf::decode<Event>(
      frame,
      [](Message& root, Event& event) {
        while (root.next()) {
          if (root.field() == 1) event.type = root.bytes();
          if (root.field() != 2) continue;
          for (Message extension = root.message(); extension.next();) {
            if (extension.field() == 1) event.object = extension.bytes();
          }
        }
      },
      std::string_view::npos);
}

std::unexpected<Error> broken(std::string_view what, const kube::DecodeError& error) {
  return fail(ErrorClass::Terminal, std::string(what) + ": field " + error.path + " " + error.message);
}

}  // namespace

Result<WatchEvent> parse_protobuf_watch_event(std::string_view frame) {
  const auto parts = read_event(frame);
  if (!parts) return broken("not a watch event", parts.error());
  const auto type = internal::event_type_of(parts->type);
  if (!type) return malformed("a watch event of unknown type", parts->type);
  WatchEvent event;
  event.type = *type;
  if (event.type == WatchEventType::Error) {
    event.error = decode_status(0, parts->object);
    return event;
  }
  const auto envelope = kube::protobuf::open_envelope(parts->object);
  if (!envelope) return broken("a watch event without object", envelope.error());
  event.object = {envelope->object, Encoding::Protobuf};
  const auto meta = meta_of(envelope->object, event.type == WatchEventType::Bookmark);
  if (!meta) return broken("an object with broken metadata", meta.error());
  if (meta->resource_version.empty()) return malformed("an object without resourceVersion", meta->name);
  event.resource_version = meta->resource_version;
  event.initial_events_end = meta->initial_events_end;
  return event;
}

Result<ListPage> parse_protobuf_list_page(std::string_view bytes, const std::function<void(std::string_view)>& item) {
  const auto envelope = kube::protobuf::open_envelope(bytes);
  if (!envelope) return broken("not a list", envelope.error());
  auto page = kube::protobuf::decode<ListPage>(
      envelope->object,
      [&item](Message& list, ListPage& read) {
        while (list.next()) {
          if (list.field() == 1) {
            for (Message meta = list.message(); meta.next();) {
              if (meta.field() == 2) meta.text(read.resource_version);
              if (meta.field() == 3) meta.text(read.continue_token);
            }
          }
          if (list.field() != 2) continue;
          ++read.items;
          item(list.bytes());
        }
      },
      std::string_view::npos);
  if (!page) return broken("a broken list", page.error());
  if (page->resource_version.empty()) return malformed("a list without resourceVersion", envelope->kind);
  return *std::move(page);
}

ObjectKey internal::peek_protobuf_key(std::string_view object) {
  const auto meta = meta_of(object, false);
  if (!meta) return {};
  return {std::string(meta->namespace_), std::string(meta->name)};
}

}  // namespace reprise::runtime
