#include "runtime/cache/watch/watermarks.h"

#include <algorithm>

namespace reprise::runtime {
namespace {

std::string id_of(const kube::KindInfo& kind) {
  return std::string(kind.plural) + "." + std::string(kind.group);
}

}  // namespace

void Watermarks::add_store(const kube::KindInfo& kind, const StoreView& store) {
  const std::lock_guard lock(mutex_);
  by_kind_.emplace(id_of(kind), stores_.size());
  stores_.push_back(&store);
}

bool Watermarks::shows_gone(const StoreView& store, const std::string& version, std::string_view uid,
                            const std::string& seen) {
  return at_least(version, seen) && !store.holds_undeleted(uid);
}

bool Watermarks::covers(const kube::KindInfo& kind, std::string_view ns) const {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = by_kind_.equal_range(id_of(kind));
  return std::any_of(begin, end, [&](const auto& each) { return stores_[each.second]->scope_of(ns).has_value(); });
}

bool Watermarks::absent(const kube::KindInfo& kind) const {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = by_kind_.equal_range(id_of(kind));
  return std::any_of(begin, end, [this](const auto& each) { return stores_[each.second]->absent(); });
}

void Watermarks::wrote(std::string_view owner, const kube::KindInfo& kind, std::string_view ns,
                       std::string_view resource_version) {
  expect(owner, kind, ns, [&](const StoreView& store, const std::string& name, Scope& scope, Wait wait) {
    if (at_least(store.resource_version(name), resource_version)) return false;
    scope.versions.emplace(std::string(resource_version), std::move(wait));
    return true;
  });
}

void Watermarks::removed(std::string_view owner, const kube::KindInfo& kind, std::string_view ns, std::string_view uid,
                         std::string_view resource_version) {
  expect(owner, kind, ns, [&](const StoreView& store, const std::string& name, Scope& scope, Wait wait) {
    wait.seen = resource_version;
    if (shows_gone(store, store.resource_version(name), uid, wait.seen)) return false;
    scope.uids.emplace(std::string(uid), std::move(wait));
    return true;
  });
}

template <class Add>
void Watermarks::expect(std::string_view owner, const kube::KindInfo& kind, std::string_view ns, const Add& add) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = by_kind_.equal_range(id_of(kind));
  for (auto at = begin; at != end; ++at) {
    const StoreView& store = *stores_[at->second];
    const auto name = store.scope_of(ns);
    if (!name) continue;
    Scope& scope = scopes_[{at->second, *name}];
    if (!add(store, *name, scope, Wait{std::string(owner), store.lists_begun(*name)})) continue;
    ++owners_[std::string(owner)].waits;
  }
}

void Watermarks::collect(const StoreView& store, const std::string& name, Scope& scope, Wakes& wakes) {
  const std::uint64_t list = store.list_in_use(name);
  const bool listed = std::exchange(scope.list_seen, list) != list;
  const std::string version = store.resource_version(name);
  for (auto at = scope.versions.begin(); at != scope.versions.end();) {
    const bool met = at_least(version, at->first) || (listed && list > at->second.lists_begun);
    if (!met && !listed) break;
    if (met) fulfil(at->second.owner, wakes);
    at = met ? scope.versions.erase(at) : std::next(at);
  }
  for (auto at = scope.uids.begin(); at != scope.uids.end();) {
    const bool met = shows_gone(store, version, at->first, at->second.seen) || list > at->second.lists_begun;
    if (met) fulfil(at->second.owner, wakes);
    at = met ? scope.uids.erase(at) : std::next(at);
  }
}

void Watermarks::fulfil(const std::string& owner, Wakes& wakes) {
  const auto found = owners_.find(owner);
  if (found == owners_.end() || --found->second.waits > 0) return;
  for (auto& wake : found->second.wakes) wakes.push_back(std::move(wake));
  owners_.erase(found);
}

bool Watermarks::ready_or_wake(std::string_view owner, std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  const auto found = owners_.find(owner);
  if (found == owners_.end()) return true;
  found->second.wakes.push_back(std::move(wake));
  return false;
}

void Watermarks::advanced() {
  Wakes wakes;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [key, scope] : scopes_) {
      if (!scope.versions.empty() || !scope.uids.empty()) collect(*stores_[key.first], key.second, scope, wakes);
    }
  }
  for (const auto& wake : wakes) wake();
}

std::vector<std::string> Watermarks::describe(std::size_t most) const {
  std::vector<std::string> lines;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, number] : by_kind_) {
    for (const auto& [key, scope] : scopes_) {
      if (key.first != number) continue;
      const auto line = [&, &kind = id](const Wait& wait, const std::string& until) {
        if (lines.size() >= most) return;
        lines.push_back("owner=" + wait.owner + " kind=" + kind + " namespace=" + key.second +
                        " at=" + stores_[key.first]->resource_version(key.second) + " until=" + until);
      };
      for (const auto& [version, wait] : scope.versions) line(wait, version);
      for (const auto& [uid, wait] : scope.uids) line(wait, "gone:" + uid);
    }
  }
  return lines;
}

std::size_t Watermarks::waiting() const {
  const std::lock_guard lock(mutex_);
  return owners_.size();
}

}  // namespace reprise::runtime
