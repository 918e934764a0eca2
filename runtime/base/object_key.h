// Names an object within its kind.
#pragma once

#include <compare>
#include <functional>
#include <string>

namespace reprise::runtime {

struct ObjectKey {
  std::string namespace_;  // empty for cluster-scoped kinds
  std::string name;
  auto operator<=>(const ObjectKey&) const = default;
};

// "vision/trainer", or "trainer" for cluster-scoped kinds.
[[nodiscard]] inline std::string to_string(const ObjectKey& key) {
  return key.namespace_.empty() ? key.name : key.namespace_ + "/" + key.name;
}

// The key of anything that has `meta`.
template <class T>
[[nodiscard]] ObjectKey key_of(const T& object) {
  return {object.meta.namespace_, object.meta.name};
}

}  // namespace reprise::runtime

template <>
struct std::hash<reprise::runtime::ObjectKey> {
  std::size_t operator()(const reprise::runtime::ObjectKey& key) const noexcept {
    const std::hash<std::string> of;
    return of(key.namespace_) * 1000003U ^ of(key.name);
  }
};
