// Objects by key: each in a slot that it keeps while it is there. Keys are read from the objects, not copied.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/base/object_key.h"
#include "runtime/cache/slot_table.h"

namespace reprise::runtime {

// Not synchronised.
template <class T>
class ObjectTable {
 public:
  using Ptr = std::shared_ptr<const T>;

  [[nodiscard]] Slot find(std::string_view ns, std::string_view name) const {
    return by_key_.find(hash(ns, name), [&](Slot slot) {
      const auto& meta = slots_[slot]->meta;
      return meta.name == name && meta.namespace_ == ns;
    });
  }
  // The slot is in use.
  [[nodiscard]] const Ptr& at(Slot slot) const { return slots_[slot]; }
  [[nodiscard]] Ptr get(std::string_view ns, std::string_view name) const {
    const Slot slot = find(ns, name);
    return slot == no_slot ? nullptr : slots_[slot];
  }

  // Replaces the object of the same key, if there is one, and returns it.
  Ptr put(Ptr object) {
    const Slot slot = find(object->meta.namespace_, object->meta.name);
    if (slot != no_slot) return std::exchange(slots_[slot], std::move(object));
    insert(std::move(object));
    return nullptr;
  }
  // The key is not there.
  Slot insert(Ptr object) {
    const std::size_t at = hash(object->meta.namespace_, object->meta.name);
    Slot slot = static_cast<Slot>(slots_.size());
    if (free_.empty()) {
      slots_.push_back(std::move(object));
    } else {
      slot = free_.back();
      free_.pop_back();
      slots_[slot] = std::move(object);
    }
    by_key_.insert(at, slot);
    return slot;
  }
  // An object of the same key; returns the one that was there.
  Ptr exchange(Slot slot, Ptr object) { return std::exchange(slots_[slot], std::move(object)); }
  Ptr erase(Slot slot) {
    by_key_.erase(hash(slots_[slot]->meta.namespace_, slots_[slot]->meta.name), slot);
    free_.push_back(slot);
    return std::exchange(slots_[slot], nullptr);
  }

  [[nodiscard]] std::size_t size() const { return slots_.size() - free_.size(); }
  // visit(slot, object), in no order; it must not change the table.
  template <class Visit>
  void each(const Visit& visit) const {
    for (Slot slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot]) visit(slot, slots_[slot]);
    }
  }
  // Bytes of the table itself, without the objects.
  [[nodiscard]] std::size_t bytes() const {
    return slots_.capacity() * sizeof(Ptr) + free_.capacity() * sizeof(Slot) + by_key_.bytes();
  }

 private:
  static std::size_t hash(std::string_view ns, std::string_view name) {
    const std::hash<std::string_view> of;
    return of(ns) * 1000003U ^ of(name);
  }

  std::vector<Ptr> slots_;
  std::vector<Slot> free_;
  SlotTable by_key_;
};

// Sorts as callers of all() and by_index() are promised.
template <class T>
void sort_by_key(std::vector<std::shared_ptr<const T>>& objects) {
  const auto key = [](const auto& object) { return std::tie(object->meta.namespace_, object->meta.name); };
  std::ranges::sort(objects, {}, key);
}

}  // namespace reprise::runtime
