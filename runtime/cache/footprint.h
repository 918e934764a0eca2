// The memory that a cached object takes, estimated from its content: cheap enough for every change of every object.
// Counts the object and the members of its description (see runtime/kube/described.h); where a type has none, its
// `meta` and the sum of KindOf<T>::heap_bytes(const T&). The content of a pool counts once, there.
#pragma once

#include <cstddef>

#include "runtime/kube/memory/footprint.h"
#include "runtime/kube/meta.h"

namespace reprise::runtime {

// Bytes of an object behind a shared pointer that make_shared made.
template <class T>
[[nodiscard]] std::size_t footprint(const T& object) {
  constexpr std::size_t counters = 16;
  const std::size_t own = kube::block_bytes(sizeof(T) + counters);
  if constexpr (kube::Described<T>) {
    return own + kube::heap_bytes(object);
  } else {
    const auto& meta = object.meta;
    std::size_t bytes = own;
    if constexpr (kube::Described<std::remove_cvref_t<decltype(meta)>>) {
      bytes += kube::heap_bytes(meta);
    } else {
      bytes += kube::heap_bytes(meta.name) + kube::heap_bytes(meta.namespace_) + kube::heap_bytes(meta.uid) +
               kube::heap_bytes(meta.resource_version);
    }
    if constexpr (requires { kube::KindOf<T>::heap_bytes(object); }) bytes += kube::KindOf<T>::heap_bytes(object);
    return bytes;
  }
}

}  // namespace reprise::runtime
