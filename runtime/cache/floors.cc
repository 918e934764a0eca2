#include "runtime/cache/floors.h"

#include <algorithm>
#include <utility>

#include "runtime/base/resource_version.h"

namespace reprise::runtime {
namespace {

std::string id_of(const api::KindInfo& kind) { return std::string(kind.plural) + "." + std::string(kind.group); }

}  // namespace

void Floors::add_store(const api::KindInfo& kind, const StoreView& store) {
  const std::lock_guard lock(mutex_);
  stores_.emplace(id_of(kind), &store);
}

void Floors::wrote(std::string_view owner, const api::KindInfo& kind, std::string_view ns,
                   std::string_view resource_version) {
  expect(owner, kind, {.store = nullptr, .namespace_ = std::string(ns), .version = std::string(resource_version),
                       .uid = {}, .lists_begun = 0});
}

void Floors::removed(std::string_view owner, const api::KindInfo& kind, std::string_view ns, std::string_view uid) {
  expect(owner, kind,
         {.store = nullptr, .namespace_ = std::string(ns), .version = {}, .uid = std::string(uid), .lists_begun = 0});
}

void Floors::expect(std::string_view owner, const api::KindInfo& kind, Expectation expectation) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = stores_.equal_range(id_of(kind));
  for (auto at = begin; at != end; ++at) {
    if (!at->second->covers(expectation.namespace_)) continue;
    expectation.store = at->second;
    expectation.lists_begun = expectation.store->lists_begun(expectation.namespace_);
    if (met(expectation)) continue;
    auto found = owners_.find(owner);
    if (found == owners_.end()) found = owners_.emplace(std::string(owner), Owner{}).first;
    auto& expectations = found->second.expectations;
    if (!expectation.version.empty()) {
      std::erase_if(expectations, [&](const Expectation& other) {
        return other.store == expectation.store && other.namespace_ == expectation.namespace_ &&
               !other.version.empty() && at_least(expectation.version, other.version);
      });
    }
    expectations.push_back(expectation);
  }
}

bool Floors::met(const Expectation& expectation) {
  if (expectation.store->list_in_use(expectation.namespace_) > expectation.lists_begun) return true;
  if (!expectation.uid.empty()) return !expectation.store->holds_undeleted(expectation.uid);
  return at_least(expectation.store->resource_version(expectation.namespace_), expectation.version);
}

bool Floors::ready_or_wake(std::string_view owner, std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  const auto found = owners_.find(owner);
  if (found == owners_.end()) return true;
  std::erase_if(found->second.expectations, &Floors::met);
  if (found->second.expectations.empty() && found->second.wakes.empty()) {
    owners_.erase(found);
    return true;
  }
  if (found->second.expectations.empty()) return true;
  found->second.wakes.push_back(std::move(wake));
  return false;
}

void Floors::advanced() {
  std::vector<std::function<void()>> wakes;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = owners_.begin(); at != owners_.end();) {
      Owner& owner = at->second;
      std::erase_if(owner.expectations, &Floors::met);
      if (!owner.expectations.empty()) {
        ++at;
        continue;
      }
      for (auto& wake : owner.wakes) wakes.push_back(std::move(wake));
      at = owners_.erase(at);
    }
  }
  for (const auto& wake : wakes) wake();
}

std::size_t Floors::waiting() const {
  const std::lock_guard lock(mutex_);
  return owners_.size();
}

}  // namespace reprise::runtime
