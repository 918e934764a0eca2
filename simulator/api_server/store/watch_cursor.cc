#include "simulator/api_server/store/watch_cursor.h"

#include <boost/json/serialize.hpp>
#include <charconv>
#include <utility>
#include <vector>

#include "simulator/api_server/store/envelope.h"
#include "simulator/api_server/wire/selectors.h"

namespace reprise::simulator {
namespace {

constexpr std::chrono::minutes default_timeout{45};  // a kube-apiserver draws from 30 to 60

std::string frame(std::string_view type, std::string_view object) {
  return enclosed(JsonObject{{"type", type}}, "object", object);
}

// The object as it was last shown, under the version of its change.
std::string at_version(const Value& object, std::uint64_t version, Shape shape) {
  Value last = object;
  set(last, {"metadata", "resourceVersion"}, std::to_string(version));
  return shown(last, shape);
}

struct Start {
  bool initial = false;    // all present objects come first
  bool tells_end = false;  // a bookmark follows them
  std::uint64_t version = 0;
  bool too_large = false;  // a list no older than a version that has not happened yet
};

class StoreWatch final : public WatchCursor {
 public:
  StoreWatch(const Store& store, const runtime::Clock& clock, const Kinds& kinds, const WireRequest& asked,
             Selector selector, Start start, runtime::Duration timeout)
      : store_(store),
        clock_(clock),
        kinds_(kinds),
        type_(kinds.type(asked.resource)),
        resource_(asked.resource),
        turns_(kinds.turns(asked.resource)),
        prefix_(asked.route.namespace_.empty() ? std::string{} : asked.route.namespace_ + "/"),
        only_(asked.route.name),
        shape_(asked.shape),
        selector_(std::move(selector)),
        bookmarks_(is_set(asked.query, "allowWatchBookmarks")),
        end_is_due_(start.tells_end),
        version_(start.version),
        too_old_(start.version < store.compacted()),
        too_large_(start.too_large),
        deadline_(clock.steady() + timeout) {
    if (start.initial) initial_ = store.list(resource_, asked.route.namespace_);
  }

  std::optional<std::string> next() override {
    if (ended()) return {};
    if (too_large_) {
      failed_ = true;
      return frame("ERROR", to_status(too_large_version(version_, store_.version())));
    }
    if (auto line = next_initial()) return line;
    if (too_old_ || store_.forgot(resource_, version_)) {
      failed_ = true;
      return frame("ERROR", to_status(expired("too old resource version: " + std::to_string(version_) + " (" +
                                              std::to_string(store_.compacted()) + ")")));
    }
    while (const Record* record = store_.next_record(resource_, version_)) {
      version_ = record->now->number();
      if (auto line = line_of(*record)) return line;
    }
    return {};
  }

  std::optional<std::string> bookmark() override {
    if (!bookmarks_ || ended() || next_initial_ < initial_.size() || end_is_due_) return {};
    if (too_old_ || too_large_ || store_.forgot(resource_, version_)) return {};
    // No change of this kind lies between here and there.
    const Record* record = store_.next_record(resource_, version_);
    version_ = record == nullptr ? std::max(version_, store_.version()) : record->now->number() - 1;
    return bookmark_line(false);
  }

  [[nodiscard]] bool ended() const override {
    return failed_ || clock_.steady() >= deadline_ || kinds_.turns(resource_) != turns_;
  }

 private:
  [[nodiscard]] bool concerns(const std::string& key) const {
    return key.starts_with(prefix_) && (only_.empty() || std::string_view(key).substr(prefix_.size()) == only_);
  }

  std::optional<std::string> next_initial() {
    while (next_initial_ < initial_.size()) {
      const VersionPtr& version = initial_[next_initial_++];
      if (!only_.empty() && name_of(version->object()) != only_) continue;
      if (selector_.matches(version->object())) return frame("ADDED", text_of(*version));
    }
    initial_.clear();
    next_initial_ = 0;
    if (!std::exchange(end_is_due_, false)) return {};
    return bookmark_line(true);
  }

  std::optional<std::string> line_of(const Record& record) const {
    if (!concerns(record.key)) return {};
    const bool was = record.before && selector_.matches(record.before->object());
    if (record.change == Change::Deleted) {
      if (!was) return {};
      return frame("DELETED", text_of(*record.now));
    }
    const bool is = selector_.matches(record.now->object());
    if (is) return frame(was ? "MODIFIED" : "ADDED", text_of(*record.now));
    if (!was) return {};
    return frame("DELETED", at_version(record.before->object(), record.now->number(), shape_));
  }

  [[nodiscard]] std::string text_of(const Version& version) const {
    std::string text;
    append(text, version, shape_);
    return text;
  }

  [[nodiscard]] std::string bookmark_line(bool end_of_initial) const {
    JsonObject metadata{{"resourceVersion", std::to_string(version_)}, {"creationTimestamp", nullptr}};
    if (end_of_initial) metadata["annotations"] = JsonObject{{"k8s.io/initial-events-end", "true"}};
    const JsonObject object{
        {"kind", shape_.kind(type_)}, {"apiVersion", shape_.api_version(type_)}, {"metadata", std::move(metadata)}};
    return frame("BOOKMARK", boost::json::serialize(object));
  }

  const Store& store_;
  const runtime::Clock& clock_;
  const Kinds& kinds_;
  const ResourceType& type_;
  ResourceId resource_;
  std::uint64_t turns_;  // a change of it ends the watch
  std::string prefix_, only_;
  Shape shape_;
  Selector selector_;
  bool bookmarks_;
  std::vector<VersionPtr> initial_;
  std::size_t next_initial_ = 0;
  bool end_is_due_;
  std::uint64_t version_;  // all up to here was delivered
  bool too_old_;           // the watch asked for a compacted version
  bool too_large_;         // ... for one that has not happened
  runtime::Instant deadline_;
  bool failed_ = false;
};

Answer<Start> start_of(const Store& store, const WireRequest& asked) {
  const std::string_view initial = value_of(asked.query, "sendInitialEvents");
  const std::string_view match = value_of(asked.query, "resourceVersionMatch");
  const auto version = read_version(value_of(asked.query, "resourceVersion"));
  if (!version) return reject(version.error());
  const auto misused = [](std::string_view field, std::string_view why) {
    return reject(invalid({.group = "meta.k8s.io", .version = {}, .plural = {}, .kind = "ListOptions"}, "",
                          {forbidden_field(std::string(field), why)}));
  };
  if (!initial.empty() && match != "NotOlderThan")
    return misused("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  if (initial.empty() && !match.empty())
    return misused("resourceVersionMatch",
                   "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  Start start;
  start.too_large = is_set(asked.query, "sendInitialEvents") && *version > store.version();
  start.initial = initial.empty() ? *version == 0 : is_set(asked.query, "sendInitialEvents");
  start.tells_end = is_set(asked.query, "sendInitialEvents") && is_set(asked.query, "allowWatchBookmarks");
  if (start.too_large) {
    start.initial = start.tells_end = false;
    start.version = *version;
    return start;
  }
  start.version = start.initial || *version == 0 ? store.version() : *version;
  return start;
}

}  // namespace

WatchAnswer open_watch(const Store& store, const runtime::Clock& clock, const Kinds& kinds, const WireRequest& asked) {
  const KindRules& rules = kinds.rules(asked.resource);
  const auto rejected = [](const Rejection& rejection) {
    return WatchAnswer{.status = rejection.code, .rejection = to_status(rejection), .cursor = nullptr};
  };
  auto selector =
      Selector::parse(rules, value_of(asked.query, "labelSelector"), value_of(asked.query, "fieldSelector"));
  if (!selector) return rejected(selector.error());
  const auto start = start_of(store, asked);
  if (!start) return rejected(start.error());
  std::int64_t seconds = 0;
  const std::string_view timeout = value_of(asked.query, "timeoutSeconds");
  std::from_chars(timeout.data(), timeout.data() + timeout.size(), seconds);
  return {.status = 200,
          .rejection = {},
          .cursor = std::make_unique<StoreWatch>(
              store, clock, kinds, asked, *std::move(selector), *start,
              seconds > 0 ? runtime::Duration(std::chrono::seconds(seconds)) : runtime::Duration(default_timeout))};
}

}  // namespace reprise::simulator
