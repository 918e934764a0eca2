// A list for objects that are kept by the ten thousands: eight bytes, and one block of exactly the size needed that
// copies share. Has std::vector's interface as far as it is used. Reading is free; changing takes linear time and, when
// the memory is shared, a copy of it, as std::as_const() and const objects never do. Changing makes iterators invalid.
#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "runtime/kube/memory/shared_block.h"

namespace reprise::kube {

template <class T>
class List {
 public:
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  List() = default;
  List(std::initializer_list<T> items) : List(items.begin(), items.size()) {}
  template <class Other>
  requires std::constructible_from<T, const Other&> List(const std::vector<Other>& items)  // NOLINT
      : List(items.begin(), items.size()) {}
  template <class Other>
  requires std::constructible_from<T, Other> List(std::vector<Other>&& items)  // NOLINT
      : List(std::make_move_iterator(items.begin()), items.size()) {}
  List(const List& other) : block_(other.block_) {
    if (block_ != nullptr) block_->share();
  }
  List(List&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  List& operator=(const List& other) {
    if (this != &other) *this = List(other);
    return *this;
  }
  List& operator=(List&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~List() { release(block_); }

  template <class Other>
  requires std::constructible_from<Other, const T&>
  operator std::vector<Other>() const { return std::vector<Other>(begin(), end()); }  // NOLINT

  [[nodiscard]] bool empty() const { return block_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return block_ == nullptr ? 0 : block_->count(); }
  [[nodiscard]] const T* data() const { return items(block_); }
  [[nodiscard]] const T* begin() const { return items(block_); }
  [[nodiscard]] const T* end() const { return items(block_) + size(); }
  [[nodiscard]] const T& operator[](std::size_t at) const { return begin()[at]; }
  [[nodiscard]] const T& front() const { return *begin(); }
  [[nodiscard]] const T& back() const { return end()[-1]; }
  [[nodiscard]] T* begin() { return own(); }
  [[nodiscard]] T* end() { return own() + size(); }
  [[nodiscard]] T& operator[](std::size_t at) { return own()[at]; }
  [[nodiscard]] T& front() { return *own(); }
  [[nodiscard]] T& back() { return own()[size() - 1]; }

  void clear() { *this = List(); }
  void push_back(T item) { (void)insert(size(), std::move(item)); }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    return *insert(size(), T(std::forward<Arguments>(arguments)...));
  }
  // `at` counts from the front.
  T* insert(std::size_t at, T item) {
    SharedBlock* const next = make(size() + 1);
    T* const to = items(next);
    give(0, at, to);
    std::construct_at(to + at, std::move(item));
    give(at, size(), to + at + 1);
    release(std::exchange(block_, next));
    return to + at;
  }
  T* erase(const T* where) {
    const auto at = static_cast<std::size_t>(where - std::as_const(*this).begin());
    SharedBlock* const next = size() == 1 ? nullptr : make(size() - 1);
    if (next != nullptr) {
      give(0, at, items(next));
      give(at + 1, size(), items(next) + at);
    }
    release(std::exchange(block_, next));
    return items(next) + at;
  }

  friend bool operator==(const List& left, const List& right) {
    return left.block_ == right.block_ || std::ranges::equal(left, right);
  }
  template <std::ranges::forward_range Other>
  requires(!std::same_as<Other, List>) friend bool operator==(const List& left, const Other& right) {
    return std::ranges::equal(left, right, [](const auto& a, const auto& b) { return a == b; });
  }
  friend auto operator<=>(const List& left, const List& right) {
    return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(), right.end());
  }

  // For pools and estimates of memory: null when empty.
  [[nodiscard]] detail::SharedBlock* block() const { return block_; }
  [[nodiscard]] std::size_t allocated_bytes() const {
    return block_ == nullptr ? 0 : sizeof(SharedBlock) + size() * sizeof(T);
  }

 private:
  using SharedBlock = detail::SharedBlock;

  template <class Iterator>
  List(Iterator from, std::size_t count) {
    if (count == 0) return;
    block_ = make(count);
    T* const to = items(block_);
    for (std::size_t i = 0; i < count; ++i, ++from) std::construct_at(to + i, *from);
  }
  [[nodiscard]] static SharedBlock* make(std::size_t count) {
    static_assert(alignof(T) <= alignof(SharedBlock*), "no larger alignment is provided for");
    return SharedBlock::make(count, count * sizeof(T));
  }
  [[nodiscard]] static T* items(SharedBlock* block) {
    return block == nullptr ? nullptr : static_cast<T*>(block->data());
  }
  [[nodiscard]] bool alone() const { return !block_->is_shared() && !block_->pooled(); }
  // The items, not shared with anybody.
  [[nodiscard]] T* own() {
    if (block_ != nullptr && !alone()) {
      SharedBlock* const copy = make(size());
      give(0, size(), items(copy));
      release(std::exchange(block_, copy));
    }
    return items(block_);
  }
  // Items of this list into raw memory: moved when nobody else has them.
  void give(std::size_t from, std::size_t end, T* to) {
    if (from == end) return;
    T* const mine = items(block_);
    if (alone()) {
      std::uninitialized_move(mine + from, mine + end, to);
    } else {
      std::uninitialized_copy(mine + from, mine + end, to);
    }
  }
  static void release(SharedBlock* block) {
    if (block == nullptr || !block->drop()) return;
    std::destroy_n(items(block), block->count());
    SharedBlock::free(block);
  }

  SharedBlock* block_ = nullptr;
};

}  // namespace reprise::kube
