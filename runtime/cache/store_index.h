// The slots of the objects that have a key of one declared index.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/cache/slot_table.h"

namespace reprise::runtime {

// Not synchronised.
template <class T>
class StoreIndex {
 public:
  using Keys = std::function<std::vector<std::string>(const T&)>;
  explicit StoreIndex(Keys keys) : keys_(std::move(keys)) {}

  // The object of a slot: what it was, what it is; null: not there.
  void change(Slot slot, const T* before, const T* after) {
    const auto old_keys = keys_of(before);
    auto new_keys = keys_of(after);
    if (old_keys == new_keys) return;
    for (const std::string& key : old_keys) remove(key, slot);
    for (std::string& key : new_keys) entries_[std::move(key)].push_back(slot);
  }
  // In no order.
  [[nodiscard]] const std::vector<Slot>& find(std::string_view key) const {
    static const std::vector<Slot> none;
    const auto found = entries_.find(key);
    return found == entries_.end() ? none : found->second;
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
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
  void remove(const std::string& key, Slot slot) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    std::vector<Slot>& slots = found->second;
    const auto at = std::ranges::find(slots, slot);
    if (at == slots.end()) return;
    *at = slots.back();
    slots.pop_back();
    if (slots.empty()) entries_.erase(found);
  }

  Keys keys_;
  std::unordered_map<std::string, std::vector<Slot>, Hash, std::equal_to<>> entries_;
};

}  // namespace reprise::runtime
