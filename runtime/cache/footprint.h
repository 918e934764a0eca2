// How much memory a cached object takes, estimated from what it holds: cheap enough for every change of every object.
// Counted are the object and what T::parts tells of it (see api/footprint.h); where a type has none, its `meta` and
// what KindOf<T>::heap_bytes(const T&) adds. What a pool holds counts once, there.
#pragma once

#include <cstddef>

#include "api/footprint.h"
#include "api/meta.h"

namespace reprise::runtime {

// Of an object behind a shared pointer that make_shared made.
template <class T>
[[nodiscard]] std::size_t footprint(const T& object) {
  constexpr std::size_t counters = 16;
  const std::size_t own = api::block_bytes(sizeof(T) + counters);
  if constexpr (api::HasParts<T>) {
    return own + api::heap_bytes(object);
  } else {
    const auto& meta = object.meta;
    std::size_t bytes = own;
    if constexpr (api::HasParts<std::remove_cvref_t<decltype(meta)>>) {
      bytes += api::heap_bytes(meta);
    } else {
      bytes += api::heap_bytes(meta.name) + api::heap_bytes(meta.namespace_) + api::heap_bytes(meta.uid) +
               api::heap_bytes(meta.resource_version);
    }
    if constexpr (requires { api::KindOf<T>::heap_bytes(object); }) bytes += api::KindOf<T>::heap_bytes(object);
    return bytes;
  }
}

}  // namespace reprise::runtime
