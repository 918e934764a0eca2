// How much memory a cached object takes, estimated from what it holds: cheap enough for every change of every object.
// Counted are the object, its `meta`, and what KindOf<T>::heap_bytes(const T&) adds where a kind has it.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include "api/meta.h"

namespace reprise::runtime {

// What a block of so many bytes costs the allocator: a header, and sizes in steps of sixteen.
[[nodiscard]] constexpr std::size_t block_bytes(std::size_t bytes) {
  return bytes == 0 ? 0 : (bytes + 8 + 15) / 16 * 16;
}

// Beyond the value itself.
[[nodiscard]] inline std::size_t heap_bytes(const std::string& text) {
  static const std::size_t within = std::string().capacity();
  return text.capacity() > within ? block_bytes(text.capacity() + 1) : 0;
}
[[nodiscard]] inline std::size_t heap_bytes(const api::StringMap& map) {
  std::size_t bytes = block_bytes(map.capacity() * sizeof(api::StringMap::value_type));
  for (const auto& [key, value] : map) bytes += heap_bytes(key) + heap_bytes(value);
  return bytes;
}
[[nodiscard]] inline std::size_t heap_bytes(const api::OwnerReference& owner) {
  return heap_bytes(owner.api_version) + heap_bytes(owner.kind) + heap_bytes(owner.name) + heap_bytes(owner.uid);
}
template <class Element>
[[nodiscard]] std::size_t heap_bytes(const std::vector<Element>& list) {
  std::size_t bytes = block_bytes(list.capacity() * sizeof(Element));
  if constexpr (requires(const Element& element) { heap_bytes(element); }) {
    for (const Element& element : list) bytes += heap_bytes(element);
  }
  return bytes;
}
template <class Meta>
[[nodiscard]] std::size_t meta_heap_bytes(const Meta& meta) {
  std::size_t bytes =
      heap_bytes(meta.name) + heap_bytes(meta.namespace_) + heap_bytes(meta.uid) + heap_bytes(meta.resource_version);
  if constexpr (std::same_as<Meta, api::ObjectMeta>) {
    bytes += heap_bytes(meta.labels) + heap_bytes(meta.annotations) + heap_bytes(meta.owner_references) +
             heap_bytes(meta.finalizers);
  }
  return bytes;
}

// Of an object behind a shared pointer that make_shared made.
template <class T>
[[nodiscard]] std::size_t footprint(const T& object) {
  constexpr std::size_t counters = 16;
  std::size_t bytes = block_bytes(sizeof(T) + counters) + meta_heap_bytes(object.meta);
  if constexpr (requires { api::KindOf<T>::heap_bytes(object); }) bytes += api::KindOf<T>::heap_bytes(object);
  return bytes;
}

}  // namespace reprise::runtime
