// Keeps a Store of one kind like the API server's and tells listeners what changed. An object that does not decode is
// counted, logged with its key and left out, or stays as it last decoded; it never stops the others.
//
// Only what an informer was added for is cached: no read starts a watch of a kind, namespace or selection that nobody
// declared. Store<T> comes from an informer alone, so that the compiler enforces this.
//
// Several namespaces are several watches; one for everything is cheaper as soon as there are more than a few. Selectors
// are applied by the server: an object that does not match is neither sent nor cached, and one that stops matching is
// deleted here. Follow kube::Metadata<T> for kinds of which only metadata is needed.
//
// Built-in kinds are watched in protobuf, all others in JSON; where a server has no protobuf, JSON is used by itself.
// One line turns it off: InformerScope{.encoding = Encoding::Json} for a kind, WatchPolicy::encoding for all.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/cache/store.h"
#include "runtime/cache/watch/reflector.h"

namespace reprise::runtime {

struct InformerScope {
  std::vector<std::string> namespaces;  // empty: all
  std::string label_selector, field_selector;
  std::optional<Encoding> encoding = {};  // empty: WatchPolicy's
  // The cluster may lack the kind, now or later: then the cache is empty, Store::absent() and synced, and fills by
  // itself when the kind comes. Only the API server's own documents of discovery count for that, no 404 alone and no
  // outage.
  bool optional = false;
  // Caches only labels and annotations whose keys begin with one of these; empty: all. They take most of the memory of
  // small objects. String literals; only for kinds whose meta is an ObjectMeta and that are never written back as a
  // whole.
  std::vector<std::string_view> kept_keys = {};
};

// A kind that can be read in both encodings.
template <class T>
concept ReadsProtobuf = requires(std::string_view bytes) {
  kube::KindOf<T>::decode_protobuf(bytes);
};
// A kind of which the server is asked for metadata alone: KindOf<T>::metadata_only, see runtime/kube/metadata.h.
template <class T>
concept MetadataOnly = requires {
  requires kube::KindOf<T>::metadata_only;
};

// How a change became known. Work that a list causes can wait; work that a watch causes is news.
enum class ChangeSource { List, Watch };

// Called on the executor's thread after the store has taken the change, on_leaving before; must not block.
template <class T>
class Listener {
 public:
  virtual ~Listener() = default;
  // on_delete of the same object follows, with the store in between: a reader that does not find the object in the
  // store any more finds the listener's own record of it. Must not read this store.
  virtual void on_leaving(const std::shared_ptr<const T>& /*last*/, bool /*final_state_unknown*/) {}
  virtual void on_add(const T& now) = 0;
  virtual void on_update(const T& old, const T& now) = 0;
  // `final_state_unknown`: seen by a list only, `last` may be older than the object's end.
  virtual void on_delete(std::shared_ptr<const T> last, bool final_state_unknown) = 0;
};

// The manager's view of informers of every type.
class InformerBase {
 public:
  virtual ~InformerBase() = default;
  virtual void start() = 0;  // on the executor's thread
  virtual void stop() = 0;   // on the executor's thread
  // The cache of that namespace, as watches() names it, may be older than the last writes: see LookAgain. On the
  // executor's thread.
  virtual void look_again(std::string_view ns, bool list) = 0;
  [[nodiscard]] virtual bool synced() const = 0;
  [[nodiscard]] virtual const kube::KindInfo& kind() const = 0;
  [[nodiscard]] virtual const StoreView& view() const = 0;
  // The states of the watches, for probes and the state dump; any thread.
  [[nodiscard]] virtual std::vector<WatchStatus> watches() const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  // False while the API server does not serve the kind; only where it is optional.
  [[nodiscard]] virtual bool served() const = 0;
  // Runs on the executor's thread after each change, bookmark or list taken in. Before start.
  virtual void on_progress(std::function<void()> hook) = 0;
};

// T has `meta` and KindOf<T> has info() and decode(json), and decode_protobuf(bytes) where the kind is built in. Where
// T describes its fields (see runtime/kube/described.h), objects share their equal parts.
template <class T>
class Informer final : public InformerBase {
 public:
  Informer(WatchEnvironment environment, InformerScope scope)
      : environment_(environment),
        scope_(std::move(scope)),
        store_(kube::KindOf<T>::info().namespaced ? scope_.namespaces : std::vector<std::string>{}, environment.pool),
        undecodable_(environment.metrics.counter("reprise_undecodable_objects_total",
                                                 "Objects that were left out of a cache because they did not decode.",
                                                 {{"kind", std::string(info_.kind)}})) {
    const Labels labels{{"kind", std::string(info_.kind)}};
    environment_.metrics.gauge_of("reprise_cache_objects", "Objects in a cache.", labels,
                                  [this] { return static_cast<double>(store_.size()); });
    environment_.metrics.gauge_of("reprise_cache_bytes", "Memory of a cache's objects, estimated from what they hold.",
                                  labels, [this] { return static_cast<double>(store_.bytes()); });
    std::vector<std::string> namespaces = info_.namespaced ? scope_.namespaces : std::vector<std::string>{};
    if (namespaces.empty()) namespaces.emplace_back();
    for (std::string& ns : namespaces) {
      feeds_.push_back(std::make_unique<Feed>(*this, std::move(ns)));
    }
  }

  [[nodiscard]] Store<T>& store() { return store_; }
  [[nodiscard]] const Store<T>& store() const { return store_; }

  // Before start; `listener` outlives the informer.
  void add_listener(Listener<T>& listener) { listeners_.push_back(&listener); }
  // Before start: `seen` runs for each object added, changed (old, then new) or deleted. For mapping objects to keys.
  void on_any(std::function<void(const T&)> seen) {
    on_change([seen = std::move(seen)](const T* before, const T* after, ChangeSource) {
      if (before != nullptr) seen(*before);
      if (after != nullptr) seen(*after);
    });
  }
  // Before start: `seen` runs for each change; null: was not there, is not there any more.
  void on_change(std::function<void(const T* before, const T* after, ChangeSource)> seen) {
    seen_.push_back(std::move(seen));
  }

  // Before start: `changed` runs when an optional kind has gone or has come back, after all else has been reported.
  void on_served_change(std::function<void()> changed) { served_changed_.push_back(std::move(changed)); }

  void start() override {
    for (auto& feed : feeds_) feed->reflector.start();
  }
  void stop() override {
    for (auto& feed : feeds_) feed->reflector.stop();
  }
  void look_again(std::string_view ns, bool list) override {
    for (auto& feed : feeds_) {
      if (feed->scope == ns) feed->reflector.look_again(list);
    }
  }
  [[nodiscard]] bool synced() const override { return store_.synced(); }
  [[nodiscard]] const kube::KindInfo& kind() const override { return info_; }
  [[nodiscard]] const StoreView& view() const override { return store_; }
  [[nodiscard]] std::vector<WatchStatus> watches() const override {
    std::vector<WatchStatus> all;
    for (const auto& feed : feeds_) all.push_back(feed->reflector.status());
    return all;
  }
  [[nodiscard]] std::size_t size() const override { return store_.size(); }
  [[nodiscard]] bool served() const override { return !store_.absent(); }
  void on_progress(std::function<void()> hook) override { progress_.push_back(std::move(hook)); }

 private:
  using Ptr = std::shared_ptr<const T>;

  struct Feed final : ReflectorSink {
    Feed(Informer& owner, std::string ns)
        : informer(owner),
          scope(std::move(ns)),
          reflector(owner.environment_, owner.target(scope), owner.rejections_, *this) {}

    void decode(WatchEvent& event) override {
      auto object = informer.read(event.object);
      if (!object) return;
      event.resource_version = (*object)->meta.resource_version;
      event.decoded = *std::move(object);
    }
    void begin_snapshot(bool newest) override {
      building = {};
      if (newest) informer.store_.begin_list(scope);
    }
    void add_to_snapshot(const EncodedObject& encoded, const std::shared_ptr<const void>& decoded) override {
      Ptr object = object_of(encoded, decoded);
      Ptr known = informer.store_.get(object ? key_of(*object) : peek_key(encoded));
      // An unchanged object is kept as it is, so that a repeated list needs no second copy of the cache.
      if (!object || (known && same_version(*known, *object))) object = std::move(known);
      if (object) building.put(std::move(object));
    }
    void remove_from_snapshot(const EncodedObject& encoded) override {
      const ObjectKey key = peek_key(encoded);
      const Slot slot = building.find(key.namespace_, key.name);
      if (slot != no_slot) (void)building.erase(slot);
    }
    void commit_snapshot(const std::string& version) override {
      for (const Ptr& last : informer.store_.leaving(scope, building)) informer.say_goodbye(last, true);
      const bool was_served = informer.served();
      informer.announce_all(informer.store_.replace(scope, std::exchange(building, {}), version), was_served);
    }
    void commit_absence() override {
      building = {};
      for (const Ptr& last : informer.store_.leaving(scope, building)) informer.say_goodbye(last, true);
      const bool was_served = informer.served();
      informer.announce_all(informer.store_.withdraw(scope), was_served);
    }
    void apply(const WatchEvent& event) override {
      Ptr object = object_of(event.object, event.decoded);
      if (event.type == WatchEventType::Deleted) {
        const ObjectKey key = object ? key_of(*object) : peek_key(event.object);
        Ptr known = informer.store_.get(key);
        if (known) informer.say_goodbye(object ? object : known, false);
        Ptr before = informer.store_.erase(scope, key, std::string(event.resource_version));
        if (before) informer.announce({object ? std::move(object) : std::move(before), nullptr}, false);
      } else if (!object) {
        informer.store_.advance(scope, std::string(event.resource_version));
      } else {
        const Ptr known = informer.store_.get(key_of(*object));
        if (known && known->meta.uid != object->meta.uid) informer.say_goodbye(known, true);
        informer.announce(informer.store_.upsert(scope, std::move(object)), false);
      }
      informer.progressed();
    }
    void advance(std::string_view version) override {
      informer.store_.advance(scope, std::string(version));
      informer.progressed();
    }

    [[nodiscard]] Ptr object_of(const EncodedObject& encoded, const std::shared_ptr<const void>& decoded) {
      return decoded ? std::static_pointer_cast<const T>(decoded) : informer.decode(encoded);
    }

    Informer& informer;
    std::string scope;
    typename Store<T>::Objects building;
    Reflector reflector;
  };

  [[nodiscard]] WatchTarget target(const std::string& ns) const {
    WatchTarget target{info_, ns, scope_.label_selector, scope_.field_selector};
    if constexpr (ReadsProtobuf<T>) target.encoding = scope_.encoding.value_or(environment_.policy.encoding);
    target.metadata_only = MetadataOnly<T>;
    target.optional = scope_.optional;
    return target;
  }

  [[nodiscard]] static std::expected<T, kube::DecodeError> parse(const EncodedObject& encoded) {
    if constexpr (ReadsProtobuf<T>) {
      if (encoded.encoding == Encoding::Protobuf) return kube::KindOf<T>::decode_protobuf(encoded.bytes);
    }
    return kube::KindOf<T>::decode(encoded.bytes);
  }

  [[nodiscard]] std::expected<Ptr, kube::DecodeError> read(const EncodedObject& encoded) {
    DecodedObjects* const known = environment_.decoded;
    if (known != nullptr)
      if (auto object = known->find(typeid(T), encoded.bytes)) return std::static_pointer_cast<const T>(object);
    auto parsed = parse(encoded);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    slim(*parsed);
    auto object = std::make_shared<const T>(*std::move(parsed));
    if (known != nullptr) known->keep(typeid(T), encoded.bytes, object);
    return object;
  }

  [[nodiscard]] Ptr decode(const EncodedObject& encoded) {
    auto object = read(encoded);
    if (object) return *std::move(object);
    undecodable_.add();
    environment_.logger.warning("Left an object out of the cache because it did not decode",
                                {{"kind", std::string(info_.kind)},
                                 {"object", to_string(peek_key(encoded))},
                                 {"field", object.error().path},
                                 {"error", object.error().message}});
    return nullptr;
  }

  void slim(T& object) {
    if constexpr (requires { kube::ObjectMeta(object.meta); }) {
      if (!scope_.kept_keys.empty()) {
        kube::keep_only(object.meta.labels, scope_.kept_keys);
        kube::keep_only(object.meta.annotations, scope_.kept_keys);
      }
    }
    if (environment_.pool == nullptr) return;
    environment_.pool->share(object);
    if constexpr (!kube::Described<T>) environment_.pool->share(object.meta);
  }

  void say_goodbye(const Ptr& last, bool final_state_unknown) {
    for (Listener<T>* listener : listeners_) listener->on_leaving(last, final_state_unknown);
  }
  void announce_all(const std::vector<typename Store<T>::Change>& changes, bool was_served) {
    for (const auto& change : changes) announce(change, true);
    if (was_served != served()) {
      for (const auto& changed : served_changed_) changed();
    }
    progressed();
  }

  void announce(const typename Store<T>::Change& change, bool from_list) {
    for (Listener<T>* listener : listeners_) {
      if (!change.after) {
        listener->on_delete(change.before, from_list);
      } else if (change.before && change.before->meta.uid != change.after->meta.uid) {
        listener->on_delete(change.before, true);
        listener->on_add(*change.after);
      } else if (change.before) {
        listener->on_update(*change.before, *change.after);
      } else {
        listener->on_add(*change.after);
      }
    }
    const ChangeSource source = from_list ? ChangeSource::List : ChangeSource::Watch;
    for (const auto& seen : seen_) seen(change.before.get(), change.after.get(), source);
  }

  void progressed() {
    for (const auto& hook : progress_) hook();
  }

  WatchEnvironment environment_;
  InformerScope scope_;
  kube::KindInfo info_ = kube::KindOf<T>::info();
  WatchRejections rejections_;
  Store<T> store_;
  Counter& undecodable_;
  std::vector<Listener<T>*> listeners_;
  std::vector<std::function<void(const T*, const T*, ChangeSource)>> seen_;
  std::vector<std::function<void()>> progress_, served_changed_;
  std::vector<std::unique_ptr<Feed>> feeds_;
};

}  // namespace reprise::runtime
