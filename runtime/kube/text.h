// Text for objects that are kept by the ten thousands: eight bytes for an empty or short one, a shared block beyond.
// Reads like a std::string that is const, turns into std::string and std::string_view by itself, and is made from both;
// changing it means giving it a new value. Copies share their memory and may be used in different threads.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/kube/memory/shared_block.h"

namespace reprise::kube {

// `Bytes`: of the value itself; one less is how much it holds without a block.
template <std::size_t Bytes>
class BasicText;
using Text = BasicText<8>;

namespace detail {
template <class T>
inline constexpr bool is_text = false;
template <std::size_t Bytes>
inline constexpr bool is_text<BasicText<Bytes>> = true;
template <class T>
concept OtherText = !is_text<std::remove_cvref_t<T>> && std::convertible_to<const T&, std::string_view>;
}  // namespace detail

template <std::size_t Bytes>
class BasicText {
  static_assert(Bytes >= sizeof(detail::SharedBlock*) && Bytes <= 128);

 public:
  static constexpr std::size_t npos = std::string_view::npos;
  using value_type = char;

  BasicText() { raw_[0] = 1; }
  template <detail::OtherText Other>
  BasicText(const Other& text) : BasicText() {  // implicit, as std::string is from a literal, NOLINT
    set(std::string_view(text));
  }
  template <std::size_t Others>
  requires(Others != Bytes) BasicText(const BasicText<Others>& text) : BasicText() { set(text.view()); }  // NOLINT
  BasicText(std::nullptr_t) = delete;

  BasicText(const BasicText& other) {
    std::memcpy(raw_, other.raw_, Bytes);
    if (detail::SharedBlock* const shared = block()) shared->share();
  }
  BasicText(BasicText&& other) noexcept {
    std::memcpy(raw_, other.raw_, Bytes);
    other.raw_[0] = 1;
  }
  BasicText& operator=(const BasicText& other) {
    if (this != &other) *this = BasicText(other);
    return *this;
  }
  BasicText& operator=(BasicText&& other) noexcept {
    unsigned char mine[Bytes];
    std::memcpy(mine, raw_, Bytes);
    std::memcpy(raw_, other.raw_, Bytes);
    std::memcpy(other.raw_, mine, Bytes);
    return *this;
  }
  ~BasicText() { release(); }

  [[nodiscard]] std::string_view view() const {
    const detail::SharedBlock* const shared = block();
    if (shared == nullptr) return {reinterpret_cast<const char*>(raw_) + 1, static_cast<std::size_t>(raw_[0] >> 1U)};
    return {static_cast<const char*>(shared->data()), shared->count()};
  }
  operator std::string_view() const { return view(); }          // NOLINT
  operator std::string() const { return std::string(view()); }  // NOLINT

  [[nodiscard]] bool empty() const { return raw_[0] == 1; }
  [[nodiscard]] std::size_t size() const { return view().size(); }
  [[nodiscard]] const char* data() const { return view().data(); }
  [[nodiscard]] const char* begin() const { return view().data(); }
  [[nodiscard]] const char* end() const { return view().data() + size(); }
  [[nodiscard]] char front() const { return view().front(); }
  [[nodiscard]] char back() const { return view().back(); }
  [[nodiscard]] char operator[](std::size_t at) const { return view()[at]; }
  [[nodiscard]] std::string substr(std::size_t at, std::size_t count = npos) const {
    return std::string(view().substr(at, count));
  }
  [[nodiscard]] bool starts_with(std::string_view text) const { return view().starts_with(text); }
  [[nodiscard]] bool ends_with(std::string_view text) const { return view().ends_with(text); }
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t at = 0) const { return view().find(text, at); }
  [[nodiscard]] std::size_t find(char character, std::size_t at = 0) const { return view().find(character, at); }
  [[nodiscard]] std::size_t rfind(std::string_view text, std::size_t at = npos) const { return view().rfind(text, at); }
  [[nodiscard]] std::size_t rfind(char character, std::size_t at = npos) const { return view().rfind(character, at); }
  [[nodiscard]] int compare(std::string_view text) const { return view().compare(text); }

  void clear() { *this = BasicText(); }
  BasicText& operator+=(std::string_view text) { return *this = std::string(view()).append(text); }
  BasicText& append(std::string_view text) { return *this += text; }

  template <std::size_t Others>
  friend bool operator==(const BasicText& left, const BasicText<Others>& right) {
    if constexpr (Others == Bytes) {
      if (std::memcmp(left.raw_, right.raw_, sizeof(void*)) == 0 && left.block() != nullptr) return true;
    }
    return left.view() == right.view();
  }
  template <detail::OtherText Other>
  friend bool operator==(const BasicText& left, const Other& right) {
    return left.view() == std::string_view(right);
  }
  friend std::strong_ordering operator<=>(const BasicText& left, const BasicText& right) {
    return left.view() <=> right.view();
  }
  template <detail::OtherText Other>
  friend std::strong_ordering operator<=>(const BasicText& left, const Other& right) {
    return left.view() <=> std::string_view(right);
  }
  friend std::string operator+(const BasicText& left, const BasicText& right) {
    return std::string(left.view()).append(right.view());
  }
  template <detail::OtherText Other>
  friend std::string operator+(const BasicText& left, const Other& right) {
    return std::string(left.view()).append(std::string_view(right));
  }
  template <detail::OtherText Other>
  friend std::string operator+(const Other& left, const BasicText& right) {
    return std::string(std::string_view(left)).append(right.view());
  }
  friend std::string operator+(std::string&& left, const BasicText& right) {
    return std::move(left.append(right.view()));
  }
  friend std::string operator+(const BasicText& left, char right) { return std::string(left.view()) + right; }
  friend std::string operator+(char left, const BasicText& right) { return std::string(1, left).append(right.view()); }
  friend std::ostream& operator<<(std::ostream& out, const BasicText& text) { return out << text.view(); }

  // For pools and estimates of memory: the block beyond the value; null for a short text.
  [[nodiscard]] detail::SharedBlock* block() const {
    detail::SharedBlock* shared = nullptr;
    if ((raw_[0] & 1U) == 0) std::memcpy(&shared, raw_, sizeof(shared));  // NOLINT(bugprone-sizeof-expression)
    return shared;
  }
  [[nodiscard]] std::size_t allocated_bytes() const {
    const detail::SharedBlock* const shared = block();
    return shared == nullptr ? 0 : sizeof(detail::SharedBlock) + shared->count();
  }

 private:
  // Requires that this is short.
  void set(std::string_view text) {
    if (text.size() < Bytes) {
      raw_[0] = static_cast<unsigned char>(text.size() << 1U | 1U);
      if (!text.empty()) std::memcpy(raw_ + 1, text.data(), text.size());
      return;
    }
    detail::SharedBlock* const made = detail::SharedBlock::make(text.size(), text.size());
    std::memcpy(made->data(), text.data(), text.size());
    std::memcpy(raw_, &made, sizeof(made));  // NOLINT(bugprone-sizeof-expression)
  }
  void release() {
    detail::SharedBlock* const shared = block();
    if (shared != nullptr && shared->drop()) detail::SharedBlock::free(shared);
  }

  // The first byte is odd in a short text: its size and that bit; else an address stands here, which is even.
  alignas(detail::SharedBlock*) unsigned char raw_[Bytes];
};

}  // namespace reprise::kube

template <std::size_t Bytes>
struct std::hash<reprise::kube::BasicText<Bytes>> {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};

// Lets algorithms look for a text by its view.
template <std::size_t Bytes, template <class> class Left, template <class> class Right>
struct std::basic_common_reference<reprise::kube::BasicText<Bytes>, std::string_view, Left, Right> {
  using type = std::string_view;
};
template <std::size_t Bytes, template <class> class Left, template <class> class Right>
struct std::basic_common_reference<std::string_view, reprise::kube::BasicText<Bytes>, Left, Right> {
  using type = std::string_view;
};
template <std::size_t Bytes, template <class> class Left, template <class> class Right>
struct std::basic_common_reference<reprise::kube::BasicText<Bytes>, std::string, Left, Right> {
  using type = std::string_view;
};
template <std::size_t Bytes, template <class> class Left, template <class> class Right>
struct std::basic_common_reference<std::string, reprise::kube::BasicText<Bytes>, Left, Right> {
  using type = std::string_view;
};
