// An optional for values that few objects have: takes a pointer's room while it is empty. Has std::optional's interface
// as far as it is used, turns into one and is made from one.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace reprise::kube {

template <class T>
class Rare {
 public:
  using value_type = T;
  Rare() = default;
  Rare(std::nullopt_t) {}                                           // NOLINT
  Rare(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT
  Rare(std::optional<T> value) {                                    // NOLINT
    if (value) emplace(*std::move(value));
  }
  Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) {
    if (this != &other) value_ = other.value_ ? std::make_unique<T>(*other.value_) : nullptr;
    return *this;
  }
  Rare& operator=(Rare&&) noexcept = default;
  ~Rare() = default;

  operator std::optional<T>() const { return value_ ? std::optional<T>(*value_) : std::nullopt; }  // NOLINT
  [[nodiscard]] bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] const T& operator*() const& { return *value_; }
  [[nodiscard]] T& operator*() & { return *value_; }
  [[nodiscard]] T&& operator*() && { return std::move(*value_); }
  [[nodiscard]] const T* operator->() const { return value_.get(); }
  [[nodiscard]] T* operator->() { return value_.get(); }
  // Requires a value.
  [[nodiscard]] const T& value() const { return *value_; }
  [[nodiscard]] T value_or(T otherwise) const { return value_ ? *value_ : std::move(otherwise); }
  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    value_ = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    return *value_;
  }
  void reset() { value_.reset(); }

  friend bool operator==(const Rare& left, const Rare& right) {
    return left.has_value() == right.has_value() && (!left.has_value() || *left == *right);
  }
  friend bool operator==(const Rare& left, std::nullopt_t) { return !left.has_value(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace reprise::kube
