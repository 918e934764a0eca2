// Lets equal parts of many objects share their memory: names of nodes and namespaces, keys of labels, uids of owners,
// the conditions of pods that are all well, pod templates of jobs that differ in little else. For objects that are
// kept, not for those looked at once.
//
//   InterningPool pool;
//   pool.share(pod);   // every Text, List and StringMap in it, found by its description
//
// Values that only the pool still holds are freed while new values come in, so that a pool grows no larger than about
// twice the values in use.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <type_traits>
#include <typeindex>
#include <utility>

#include "runtime/kube/memory/footprint.h"
#include "runtime/kube/memory/packed_text.h"
#include "runtime/kube/memory/shared_set.h"

namespace reprise::kube {

// One thread shares; the objects, and bytes(), belong to any thread. May end before the objects.
class InterningPool {
 public:
  InterningPool() = default;
  InterningPool(const InterningPool&) = delete;
  InterningPool& operator=(const InterningPool&) = delete;

  // Nobody else sees `value` yet. Equal parts of it, and of earlier values, are one from now on.
  template <class T>
  void share(T& value) {
    if constexpr (requires { take(value); }) {
      take(value);
    } else if constexpr (Described<T>) {
      for_each_member(value, [this](auto& member) { share(member); });
    }
  }

  // Bytes of the shared values and of the tables that find them. Any thread.
  [[nodiscard]] std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  void take(Text& text) {
    if (text.block() != nullptr) keep(texts_, text);
  }
  template <class T>
  void take(List<T>& list) {
    if (list.empty() || list.block()->pooled()) return;
    for (T& item : list) share(item);
    keep(lists_of<T>(), list);
  }
  void take(PackedText& text) {
    packer_.pack(text);
    for_each_member(text, [this](auto& member) { share(member); });
  }
  void take(StringMap& map) { take(map.entries()); }
  template <class T>
  void take(std::vector<T>& list) {
    for (T& item : list) share(item);
  }
  template <class T>
  void take(std::optional<T>& value) {
    if (value) share(*value);
  }
  template <class T>
  void take(Rare<T>& value) {
    if (value) share(*value);
  }
  template <class First, class Second>
  void take(std::pair<First, Second>& pair) {
    share(pair.first);
    share(pair.second);
  }

  template <class Value>
  void keep(internal::SharedSet<Value>& set, Value& value) {
    const std::size_t before = set.bytes();
    set.share(value);
    bytes_.store(bytes_.load(std::memory_order_relaxed) + set.bytes() - before, std::memory_order_relaxed);
  }
  template <class T>
  [[nodiscard]] internal::SharedSet<List<T>>& lists_of() {
    using Lists = internal::SharedSet<List<T>>;
    std::unique_ptr<internal::AnySharedSet>& found = lists_[std::type_index(typeid(T))];
    if (!found) found = std::make_unique<Lists>();
    return static_cast<Lists&>(*found);
  }

  // Lists hold texts: they go first.
  internal::SharedSet<Text> texts_;
  std::map<std::type_index, std::unique_ptr<internal::AnySharedSet>> lists_;
  Packer packer_;
  std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace reprise::kube
