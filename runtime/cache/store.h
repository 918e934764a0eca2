// The typed cache of one kind: objects by key, by uid and by declared index. Written by an informer on the executor's
// thread; readable from any thread at any time. Objects are immutable and shared.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/object_key.h"
#include "runtime/base/resource_version.h"
#include "runtime/cache/store_view.h"

namespace reprise::runtime {

template <class T>
class Store final : public StoreView {
 public:
  using Ptr = std::shared_ptr<const T>;
  using Objects = std::map<ObjectKey, Ptr>;
  using IndexFunction = std::function<std::vector<std::string>(const T&)>;
  struct Change {
    Ptr before, after;  // one of them may be missing
  };

  // `namespaces` empty: everything.
  explicit Store(std::vector<std::string> namespaces = {}) {
    if (namespaces.empty()) namespaces.emplace_back();
    for (std::string& ns : namespaces) scopes_.emplace(std::move(ns), Progress{});
  }

  // Before start.
  void add_index(std::string name, IndexFunction keys) { indexes_[std::move(name)].keys = std::move(keys); }

  // Null when there is none.
  [[nodiscard]] Ptr get(std::string_view ns, std::string_view name) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(ObjectKey{std::string(ns), std::string(name)});
    return found == objects_.end() ? nullptr : found->second;
  }
  [[nodiscard]] Ptr get(const ObjectKey& key) const { return get(key.namespace_, key.name); }

  [[nodiscard]] Ptr by_uid(std::string_view uid) const {
    const std::shared_lock lock(mutex_);
    const auto found = uids_.find(uid);
    return found == uids_.end() ? nullptr : found->second;
  }

  // In the order of their keys.
  [[nodiscard]] std::vector<Ptr> all() const {
    const std::shared_lock lock(mutex_);
    std::vector<Ptr> result;
    result.reserve(objects_.size());
    for (const auto& [key, object] : objects_) result.push_back(object);
    return result;
  }

  // Empty for an index that was not declared.
  [[nodiscard]] std::vector<Ptr> by_index(std::string_view index, std::string_view key) const {
    const std::shared_lock lock(mutex_);
    std::vector<Ptr> result;
    const auto declared = indexes_.find(index);
    if (declared == indexes_.end()) return result;
    const auto entries = declared->second.entries.find(key);
    if (entries == declared->second.entries.end()) return result;
    for (const ObjectKey& object : entries->second) result.push_back(objects_.at(object));
    return result;
  }

  [[nodiscard]] std::size_t size() const {
    const std::shared_lock lock(mutex_);
    return objects_.size();
  }

  // True once every namespace followed has been listed; stays true.
  [[nodiscard]] bool synced() const {
    const std::shared_lock lock(mutex_);
    for (const auto& [ns, progress] : scopes_) {
      if (progress.in_use == 0) return false;
    }
    return true;
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

  // For the informer. `scope` is one of the namespaces given, or empty.
  void begin_list(const std::string& scope) {
    const std::unique_lock lock(mutex_);
    ++scopes_.at(scope).begun;
  }
  // Puts `next` in place of everything in the scope at once, and tells what that changed.
  [[nodiscard]] std::vector<Change> replace(const std::string& scope, Objects next, std::string version) {
    const std::unique_lock lock(mutex_);
    std::vector<Change> changes;
    for (auto at = objects_.begin(); at != objects_.end();) {
      const auto here = at++;
      if ((scope.empty() || here->first.namespace_ == scope) && !next.contains(here->first)) {
        changes.push_back({here->second, nullptr});
        erase(here->first);
      }
    }
    for (auto& [key, object] : next) {
      const auto found = objects_.find(key);
      Ptr before = found == objects_.end() ? nullptr : found->second;
      if (before && before->meta.uid == object->meta.uid &&
          before->meta.resource_version == object->meta.resource_version) {
        continue;
      }
      put(key, object);
      changes.push_back({std::move(before), object});
    }
    Progress& progress = scopes_.at(scope);
    progress.version = std::move(version);
    progress.in_use = progress.begun;
    return changes;
  }
  [[nodiscard]] Change upsert(const std::string& scope, Ptr object) {
    const std::unique_lock lock(mutex_);
    const ObjectKey key = key_of(*object);
    const auto found = objects_.find(key);
    Change change{found == objects_.end() ? nullptr : found->second, object};
    scopes_.at(scope).version = object->meta.resource_version;
    put(key, std::move(object));
    return change;
  }
  // Returns what was there.
  [[nodiscard]] Ptr erase(const std::string& scope, const ObjectKey& key, const std::string& version) {
    const std::unique_lock lock(mutex_);
    scopes_.at(scope).version = version;
    const auto found = objects_.find(key);
    if (found == objects_.end()) return nullptr;
    Ptr before = found->second;
    erase(key);
    return before;
  }
  void advance(const std::string& scope, const std::string& version) {
    const std::unique_lock lock(mutex_);
    scopes_.at(scope).version = version;
  }

 private:
  struct Progress {
    std::string version;
    std::uint64_t begun = 0, in_use = 0;
  };
  struct Index {
    IndexFunction keys;
    std::map<std::string, std::set<ObjectKey>, std::less<>> entries;
  };

  void put(const ObjectKey& key, Ptr object) {
    erase(key);
    for (auto& [name, index] : indexes_) {
      for (std::string& entry : index.keys(*object)) index.entries[std::move(entry)].insert(key);
    }
    uids_[object->meta.uid] = object;
    objects_[key] = std::move(object);
  }
  void erase(ObjectKey key) {
    const auto found = objects_.find(key);
    if (found == objects_.end()) return;
    for (auto& [name, index] : indexes_) {
      for (const std::string& entry : index.keys(*found->second)) {
        const auto at = index.entries.find(entry);
        if (at == index.entries.end()) continue;
        at->second.erase(key);
        if (at->second.empty()) index.entries.erase(at);
      }
    }
    uids_.erase(found->second->meta.uid);
    objects_.erase(found);
  }

  mutable std::shared_mutex mutex_;
  Objects objects_;
  std::map<std::string, Ptr, std::less<>> uids_;
  std::map<std::string, Index, std::less<>> indexes_;
  std::map<std::string, Progress, std::less<>> scopes_;  // its keys never change
};

}  // namespace reprise::runtime
