// The memory that a value takes beyond itself, estimated from its content: cheap enough for every change of every
// object. Memory of a pool counts there and not here, since many objects share it. A type's description names its
// members (runtime/kube/described.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/kube/described.h"
#include "runtime/kube/list.h"
#include "runtime/kube/memory/rare.h"
#include "runtime/kube/memory/string_map.h"
#include "runtime/kube/text.h"

namespace reprise::kube {

// Cost to the allocator of a block of so many bytes: a header, and sizes in steps of sixteen.
[[nodiscard]] constexpr std::size_t block_bytes(std::size_t bytes) {
  return bytes == 0 ? 0 : std::max<std::size_t>(32, (bytes + 8 + 15) / 16 * 16);
}

template <class T>
[[nodiscard]] std::size_t heap_bytes(const T& value);

namespace detail {

[[nodiscard]] inline bool is_pooled(const SharedBlock* block) {
  return block != nullptr && block->pooled();
}
template <class Items>
[[nodiscard]] std::size_t sum_of_items(const Items& items) {
  std::size_t bytes = 0;
  for (const auto& item : items) bytes += heap_bytes(item);
  return bytes;
}

[[nodiscard]] inline std::size_t heap_of(const std::string& text) {
  static const std::size_t within = std::string().capacity();
  return text.capacity() > within ? block_bytes(text.capacity() + 1) : 0;
}
template <std::size_t Bytes>
[[nodiscard]] std::size_t heap_of(const BasicText<Bytes>& text) {
  return is_pooled(text.block()) ? 0 : block_bytes(text.allocated_bytes());
}
template <class T>
[[nodiscard]] std::size_t heap_of(const List<T>& list) {
  return is_pooled(list.block()) ? 0 : block_bytes(list.allocated_bytes()) + sum_of_items(list);
}
[[nodiscard]] inline std::size_t heap_of(const StringMap& map) {
  return heap_bytes(map.entries());
}
template <class T>
[[nodiscard]] std::size_t heap_of(const std::vector<T>& list) {
  return block_bytes(list.capacity() * sizeof(T)) + sum_of_items(list);
}
template <class T>
[[nodiscard]] std::size_t heap_of(const std::optional<T>& value) {
  return value ? heap_bytes(*value) : 0;
}
template <class T>
[[nodiscard]] std::size_t heap_of(const Rare<T>& value) {
  return value ? block_bytes(sizeof(T)) + heap_bytes(*value) : 0;
}
template <class First, class Second>
[[nodiscard]] std::size_t heap_of(const std::pair<First, Second>& pair) {
  return heap_bytes(pair.first) + heap_bytes(pair.second);
}

}  // namespace detail

template <class T>
[[nodiscard]] std::size_t heap_bytes(const T& value) {
  if constexpr (Described<T>) {
    std::size_t bytes = 0;
    for_each_member(value, [&](const auto& member) { bytes += heap_bytes(member); });
    return bytes;
  } else if constexpr (requires { detail::heap_of(value); }) {
    return detail::heap_of(value);
  } else {
    return 0;
  }
}

}  // namespace reprise::kube
