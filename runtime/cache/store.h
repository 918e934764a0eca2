// The typed cache of one kind: objects by key, by uid and by declared index. Written by an informer on the executor's
// thread; readable from any thread at any time. Objects are immutable and shared; beside each object the store needs
// some forty bytes, eight for each index key and some thirty for each key that is new.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/object_key.h"
#include "runtime/base/resource_version.h"
#include "runtime/cache/footprint.h"
#include "runtime/cache/object_table.h"
#include "runtime/cache/store_index.h"
#include "runtime/cache/store_view.h"

namespace reprise::runtime {

// The same state of the same object.
template <class T>
[[nodiscard]] bool same_version(const T& left, const T& right) {
  return left.meta.uid == right.meta.uid && left.meta.resource_version == right.meta.resource_version;
}

template <class T>
class Store final : public StoreView {
 public:
  using Ptr = std::shared_ptr<const T>;
  using Objects = ObjectTable<T>;  // a snapshot in the making
  using IndexFunction = StoreIndex<T>::Keys;
  struct Change {
    Ptr before, after;  // one of them may be missing
  };

  // `namespaces` empty: everything. `pool`: shares the texts of index keys; outlives the store; may be null.
  explicit Store(std::vector<std::string> namespaces = {}, kube::InterningPool* pool = nullptr) : pool_(pool) {
    if (namespaces.empty()) namespaces.emplace_back();
    for (std::string& ns : namespaces) scopes_.emplace(std::move(ns), Progress{});
  }

  // Before start.
  void add_index(std::string name, IndexFunction keys) {
    indexes_.insert_or_assign(std::move(name), StoreIndex<T>(std::move(keys)));
  }

  // Null when there is none.
  [[nodiscard]] Ptr get(std::string_view ns, std::string_view name) const {
    const std::shared_lock lock(mutex_);
    return objects_.get(ns, name);
  }
  [[nodiscard]] Ptr get(const ObjectKey& key) const { return get(key.namespace_, key.name); }

  [[nodiscard]] Ptr by_uid(std::string_view uid) const {
    const std::shared_lock lock(mutex_);
    const Slot slot = uids_.find(hash(uid), [&](Slot at) { return objects_.at(at)->meta.uid == uid; });
    return slot == no_slot ? nullptr : objects_.at(slot);
  }

  // Returns the objects in the order of their keys.
  [[nodiscard]] std::vector<Ptr> all() const {
    std::vector<Ptr> result;
    {
      const std::shared_lock lock(mutex_);
      result.reserve(objects_.size());
      objects_.each([&](Slot, const Ptr& object) { result.push_back(object); });
    }
    sort_by_key(result);
    return result;
  }

  // Returns the objects in the order of their keys; none for an index that was not declared.
  [[nodiscard]] std::vector<Ptr> by_index(std::string_view index, std::string_view key) const {
    std::vector<Ptr> result;
    {
      const std::shared_lock lock(mutex_);
      const auto declared = indexes_.find(index);
      if (declared == indexes_.end()) return result;
      declared->second.each(key, [&](Slot slot) { result.push_back(objects_.at(slot)); });
    }
    sort_by_key(result);
    return result;
  }

  [[nodiscard]] std::size_t size() const {
    const std::shared_lock lock(mutex_);
    return objects_.size();
  }

  // The memory of the objects, estimated (see footprint.h), and of the tables and indexes that find them; without the
  // parts that they share by a pool.
  [[nodiscard]] std::size_t bytes() const {
    const std::shared_lock lock(mutex_);
    std::size_t bytes = object_bytes_ + objects_.bytes() + uids_.bytes();
    for (const auto& [name, index] : indexes_) bytes += index.bytes();
    return bytes;
  }

  // True once every namespace followed has been listed, or the kind is known not to be served; stays true.
  [[nodiscard]] bool synced() const {
    const std::shared_lock lock(mutex_);
    for (const auto& [ns, progress] : scopes_) {
      if (progress.in_use == 0) return false;
    }
    return true;
  }

  // The API server has said that it does not serve the kind (InformerScope::optional). The store is empty then, and an
  // object missing from it proves nothing about the thing that the object stood for: look at this after the objects.
  [[nodiscard]] bool absent() const override {
    const std::shared_lock lock(mutex_);
    for (const auto& [ns, progress] : scopes_) {
      if (progress.absent) return true;
    }
    return false;
  }

  // The version of the scope followed; with several namespaces, of the one that is furthest behind.
  [[nodiscard]] std::string resource_version() const {
    const std::shared_lock lock(mutex_);
    const std::string* oldest = nullptr;
    for (const auto& [ns, progress] : scopes_) {
      if (oldest == nullptr || compare_resource_versions(progress.version, *oldest) < 0) oldest = &progress.version;
    }
    return *oldest;
  }

  [[nodiscard]] std::optional<std::string> scope_of(std::string_view ns) const override {
    if (scopes_.contains(std::string_view())) return std::string();
    return scopes_.contains(ns) ? std::optional(std::string(ns)) : std::nullopt;
  }
  [[nodiscard]] std::string resource_version(std::string_view scope) const override {
    const std::shared_lock lock(mutex_);
    const auto found = scopes_.find(scope);
    return found == scopes_.end() ? std::string() : found->second.version;
  }
  [[nodiscard]] bool holds_undeleted(std::string_view uid) const override {
    const Ptr object = by_uid(uid);
    return object != nullptr && !object->meta.deletion_timestamp.has_value();
  }
  [[nodiscard]] std::uint64_t lists_begun(std::string_view scope) const override {
    const std::shared_lock lock(mutex_);
    const auto found = scopes_.find(scope);
    return found == scopes_.end() ? 0 : found->second.begun;
  }
  [[nodiscard]] std::uint64_t list_in_use(std::string_view scope) const override {
    const std::shared_lock lock(mutex_);
    const auto found = scopes_.find(scope);
    return found == scopes_.end() ? 0 : found->second.in_use;
  }

  // For the informer. `scope` is one of the namespaces given, or empty. A list of the newest state begins.
  void begin_list(const std::string& scope) {
    const std::unique_lock lock(mutex_);
    ++scopes_.at(scope).begun;
  }
  // The objects that replace(scope, next) would remove: not in `next`, or there with another uid under the same name.
  [[nodiscard]] std::vector<Ptr> leaving(const std::string& scope, const Objects& next) const {
    const std::shared_lock lock(mutex_);
    std::vector<Ptr> gone;
    objects_.each([&](Slot, const Ptr& object) {
      const auto& meta = object->meta;
      if (!scope.empty() && meta.namespace_ != scope) return;
      const Ptr stays = next.get(meta.namespace_, meta.name);
      if (!stays || stays->meta.uid != meta.uid) gone.push_back(object);
    });
    return gone;
  }
  // Puts `next` in place of everything in the scope at once, and tells what that changed.
  [[nodiscard]] std::vector<Change> replace(const std::string& scope, Objects next, std::string version) {
    const std::unique_lock lock(mutex_);
    return put_in_place(scope, std::move(next), std::move(version), false);
  }
  // The server does not serve the kind: nothing is left, and absent().
  [[nodiscard]] std::vector<Change> withdraw(const std::string& scope) {
    const std::unique_lock lock(mutex_);
    return put_in_place(scope, {}, {}, true);
  }
  [[nodiscard]] Change upsert(const std::string& scope, Ptr object) {
    const std::unique_lock lock(mutex_);
    scopes_.at(scope).version = object->meta.resource_version;
    Ptr before = put(object);
    return {std::move(before), std::move(object)};
  }
  // Returns the erased object.
  [[nodiscard]] Ptr erase(const std::string& scope, const ObjectKey& key, const std::string& version) {
    const std::unique_lock lock(mutex_);
    scopes_.at(scope).version = version;
    const Slot slot = objects_.find(key.namespace_, key.name);
    return slot == no_slot ? nullptr : remove(slot);
  }
  void advance(const std::string& scope, const std::string& version) {
    const std::unique_lock lock(mutex_);
    scopes_.at(scope).version = version;
  }

 private:
  struct Progress {
    std::string version;
    std::uint64_t begun = 0, in_use = 0;
    bool absent = false;
  };

  static std::size_t hash(std::string_view uid) { return std::hash<std::string_view>()(uid); }

  std::vector<Change> put_in_place(const std::string& scope, Objects next, std::string version, bool absent) {
    std::vector<Change> changes;
    if (objects_.size() == 0) {
      adopt(std::move(next), changes);
    } else {
      merge(scope, next, changes);
    }
    Progress& progress = scopes_.at(scope);
    progress.version = std::move(version);
    progress.in_use = progress.begun;
    progress.absent = absent;
    return changes;
  }
  // The first list becomes the store's content as it is: no second copy of anything.
  void adopt(Objects next, std::vector<Change>& changes) {
    objects_ = std::move(next);
    changes.reserve(objects_.size());
    objects_.each([&](Slot slot, const Ptr& object) {
      register_object(slot, nullptr, object.get());
      changes.push_back({nullptr, object});
    });
  }
  void merge(const std::string& scope, const Objects& next, std::vector<Change>& changes) {
    std::vector<Slot> gone;
    objects_.each([&](Slot slot, const Ptr& object) {
      const auto& meta = object->meta;
      if (!scope.empty() && meta.namespace_ != scope) return;
      if (next.find(meta.namespace_, meta.name) == no_slot) gone.push_back(slot);
    });
    for (const Slot slot : gone) changes.push_back({remove(slot), nullptr});
    next.each([&](Slot, const Ptr& object) {
      const Ptr known = objects_.get(object->meta.namespace_, object->meta.name);
      if (known && same_version(*known, *object)) return;
      Ptr before = put(object);
      changes.push_back({std::move(before), object});
    });
  }
  Ptr put(Ptr object) {
    const T* const after = object.get();
    Slot slot = objects_.find(after->meta.namespace_, after->meta.name);
    Ptr before;
    if (slot == no_slot) {
      slot = objects_.insert(std::move(object));
    } else {
      before = objects_.exchange(slot, std::move(object));
    }
    register_object(slot, before.get(), after);
    return before;
  }
  Ptr remove(Slot slot) {
    register_object(slot, objects_.at(slot).get(), nullptr);
    return objects_.erase(slot);
  }
  void register_object(Slot slot, const T* before, const T* after) {
    if (before != nullptr) object_bytes_ -= footprint(*before);
    if (after != nullptr) object_bytes_ += footprint(*after);
    for (auto& [name, index] : indexes_) index.change(slot, before, after, pool_);
    if (before != nullptr && after != nullptr && before->meta.uid == after->meta.uid) return;
    if (before != nullptr) uids_.erase(hash(before->meta.uid), slot);
    if (after != nullptr) uids_.insert(hash(after->meta.uid), slot);
  }

  kube::InterningPool* pool_;
  mutable std::shared_mutex mutex_;
  Objects objects_;
  SlotTable uids_;
  std::size_t object_bytes_ = 0;
  std::map<std::string, StoreIndex<T>, std::less<>> indexes_;
  std::map<std::string, Progress, std::less<>> scopes_;  // its keys never change
};

}  // namespace reprise::runtime
