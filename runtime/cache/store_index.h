// The slots of the objects that have a key of one declared index. Each key is there once, with
// a chain of slots; a key costs some thirty bytes and its text, a slot eight more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/cache/slot_table.h"
#include "runtime/kube/memory/interning_pool.h"

namespace reprise::runtime {

// Not synchronised.
template <class T>
class StoreIndex {
 public:
  using Keys = std::function<std::vector<std::string>(const T&)>;
  explicit StoreIndex(Keys keys) : keys_(std::move(keys)) {}

  // The object of a slot, before and after a change; null: not there. Texts of keys are shared with `pool`; may be
  // null.
  void change(Slot slot, const T* before, const T* after, kube::InterningPool* pool) {
    const auto old_keys = keys_of(before);
    const auto new_keys = keys_of(after);
    if (old_keys == new_keys) return;
    for (const std::string& key : old_keys) remove(key, slot);
    for (const std::string& key : new_keys) insert(key, slot, pool);
  }
  // Visits the slots in no order.
  template <class Visit>
  void each(std::string_view key, const Visit& visit) const {
    const Slot chain = find(key);
    if (chain == no_slot) return;
    for (std::uint32_t at = chains_[chain].first; at != no_slot; at = links_[at].next) visit(links_[at].slot);
  }
  [[nodiscard]] std::size_t bytes() const {
    return chains_.capacity() * sizeof(Chain) + links_.capacity() * sizeof(Link) + by_key_.bytes() + key_bytes_ +
           (free_chains_.capacity() + free_links_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  struct Chain {
    kube::Text key;
    std::uint32_t first = no_slot;
  };
  struct Link {
    Slot slot = no_slot;
    std::uint32_t next = no_slot;
  };

  // Each key once.
  [[nodiscard]] std::vector<std::string> keys_of(const T* object) const {
    if (object == nullptr) return {};
    auto keys = keys_(*object);
    if (keys.size() > 1) {
      std::ranges::sort(keys);
      keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    }
    return keys;
  }
  static std::size_t hash(std::string_view key) { return std::hash<std::string_view>()(key); }
  [[nodiscard]] Slot find(std::string_view key) const {
    return by_key_.find(hash(key), [&](Slot chain) { return chains_[chain].key == key; });
  }
  void insert(const std::string& key, Slot slot, kube::InterningPool* pool) {
    Slot chain = find(key);
    if (chain == no_slot) {
      chain = take(chains_, free_chains_);
      chains_[chain].key = key;
      if (pool != nullptr) pool->share(chains_[chain].key);
      key_bytes_ += kube::heap_bytes(chains_[chain].key);
      by_key_.insert(hash(key), chain);
    }
    const std::uint32_t link = take(links_, free_links_);
    links_[link] = {slot, std::exchange(chains_[chain].first, link)};
  }
  void remove(const std::string& key, Slot slot) {
    const Slot chain = find(key);
    if (chain == no_slot) return;
    std::uint32_t* from = &chains_[chain].first;
    while (*from != no_slot && links_[*from].slot != slot) from = &links_[*from].next;
    if (*from == no_slot) return;
    free_links_.push_back(*from);
    *from = links_[*from].next;
    if (chains_[chain].first != no_slot) return;
    by_key_.erase(hash(key), chain);
    key_bytes_ -= kube::heap_bytes(chains_[chain].key);
    chains_[chain].key.clear();
    free_chains_.push_back(chain);
  }
  template <class Element>
  [[nodiscard]] static std::uint32_t take(std::vector<Element>& elements, std::vector<std::uint32_t>& free) {
    if (free.empty()) {
      elements.emplace_back();
      return static_cast<std::uint32_t>(elements.size() - 1);
    }
    const std::uint32_t at = free.back();
    free.pop_back();
    return at;
  }

  Keys keys_;
  SlotTable by_key_;
  std::vector<Chain> chains_;
  std::vector<Link> links_;
  std::vector<std::uint32_t> free_chains_, free_links_;
  std::size_t key_bytes_ = 0;
};

}  // namespace reprise::runtime
