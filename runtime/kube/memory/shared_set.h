// The values of one type that a pool holds: a hash table that forgets values which nobody else holds any more.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/kube/memory/footprint.h"

namespace reprise::kube::internal {

[[nodiscard]] inline std::size_t mix(std::size_t seed, std::size_t hash) {
  return (seed ^ hash) * 0x9E3779B97F4A7C15U + (seed >> 32U);
}

template <class T>
[[nodiscard]] std::size_t hash_of(const T& value);
inline std::size_t hash_value(const Text& text) {
  return std::hash<std::string_view>()(text.view());
}
// Parts of a list are shared before it: equal texts are one block, and their place will do.
inline std::size_t hash_part(const Text& text) {
  return text.block() == nullptr ? hash_value(text) : std::hash<const void*>()(text.block());
}
template <class T>
std::size_t hash_value(const List<T>& list) {
  std::size_t hash = list.size();
  for (const T& item : list) hash = mix(hash, hash_of(item));
  return hash;
}
template <class T>
std::size_t hash_part(const List<T>& list) {
  return std::hash<const void*>()(list.block());
}
inline std::size_t hash_part(const StringMap& map) {
  return hash_part(map.entries());
}
template <class First, class Second>
std::size_t hash_part(const std::pair<First, Second>& pair) {
  return mix(hash_of(pair.first), hash_of(pair.second));
}
template <class T>
std::size_t hash_part(const std::vector<T>& list) {
  std::size_t hash = list.size();
  for (const T& item : list) hash = mix(hash, hash_of(item));
  return hash;
}
template <class T>
std::size_t hash_part(const std::optional<T>& value) {
  return value ? hash_of(*value) + 1 : 0;
}
template <class Clock, class Duration>
std::size_t hash_part(const std::chrono::time_point<Clock, Duration>& time) {
  return std::hash<typename Duration::rep>()(time.time_since_epoch().count());
}
template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T> std::size_t hash_part(const T& value) {
  return static_cast<std::size_t>(value);
}

template <class T>
[[nodiscard]] std::size_t hash_of(const T& value) {
  if constexpr (Described<T>) {
    std::size_t hash = 0;
    for_each_member(value, [&](const auto& member) { hash = mix(hash, hash_of(member)); });
    return hash;
  } else {
    return hash_part(value);
  }
}

class AnySharedSet {
 public:
  virtual ~AnySharedSet() = default;
};

// `Value` is a Text or a List with a block of its own.
template <class Value>
class SharedSet final : public AnySharedSet {
 public:
  // Replaces `value` by the equal value that was here first.
  void share(Value& value) {
    if (values_.empty() || (used_ + 1) * 5 > values_.size() * 4) sweep();
    const std::size_t hash = hash_value(value);
    const std::size_t at = place(value, hash);
    if (tags_[at] != 0) {
      value = values_[at];
      return;
    }
    value.block()->set_pooled();
    put(at, value, hash);
  }
  [[nodiscard]] std::size_t bytes() const { return block_bytes_ + values_.size() * (sizeof(Value) + sizeof(Tag)); }

 private:
  using Tag = std::uint8_t;  // part of the hash, so that few values are compared in vain; 0: the place is free
  static Tag tag_of(std::size_t hash) { return static_cast<Tag>(hash >> 56U | 1U); }
  [[nodiscard]] std::size_t home(std::size_t hash) const {
    return ((hash * 0x9E3779B97F4A7C15U) >> 32U) * values_.size() >> 32U;
  }
  [[nodiscard]] std::size_t after(std::size_t at) const { return at + 1 == values_.size() ? 0 : at + 1; }

  // The place of an equal value, or the free place for it.
  [[nodiscard]] std::size_t place(const Value& value, std::size_t hash) const {
    for (std::size_t at = home(hash);; at = after(at)) {
      if (tags_[at] == 0 || (tags_[at] == tag_of(hash) && values_[at] == value)) return at;
    }
  }
  void put(std::size_t at, Value value, std::size_t hash) {
    block_bytes_ += block_bytes(value.allocated_bytes());
    tags_[at] = tag_of(hash);
    values_[at] = std::move(value);
    ++used_;
  }
  // Drops values that only this set holds, and leaves half of the places free.
  void sweep() {
    std::size_t live = 0;
    for (Value& value : values_) {
      if (value.block() == nullptr) continue;
      if (value.block()->is_shared()) {
        ++live;
      } else {
        value = Value();
      }
    }
    const std::size_t places = 16 + live * 2;
    const auto old = std::exchange(values_, std::vector<Value>(places));
    tags_.assign(places, 0);
    tags_.shrink_to_fit();
    used_ = 0;
    block_bytes_ = 0;
    for (const Value& value : old) {
      if (value.block() == nullptr) continue;
      const std::size_t hash = hash_value(value);
      std::size_t at = home(hash);
      while (tags_[at] != 0) at = after(at);
      put(at, value, hash);
    }
  }

  std::vector<Value> values_;
  std::vector<Tag> tags_;
  std::size_t used_ = 0;
  std::size_t block_bytes_ = 0;
};

}  // namespace reprise::kube::internal
