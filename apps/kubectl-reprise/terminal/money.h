// Sums of money as the API carries them: decimal texts. Counted in millionths, never in floating point.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::plugin {

class Money {
 public:
  Money() = default;
  explicit Money(std::int64_t millionths) : millionths_(millionths) {}
  // Empty when the text is no decimal.
  [[nodiscard]] static std::optional<Money> read(std::string_view text);
  // Zero when the text is no decimal.
  [[nodiscard]] static Money parse(std::string_view text) { return read(text).value_or(Money()); }
  Money& operator+=(Money other) {
    millionths_ += other.millionths_;
    return *this;
  }
  friend Money operator-(Money a, Money b) { return Money(a.millionths_ - b.millionths_); }
  // A part of it; rounded down.
  [[nodiscard]] Money share(std::int64_t of, std::int64_t all) const;
  [[nodiscard]] std::string text() const;  // "12.50": rounded to cents, half up
  auto operator<=>(const Money&) const = default;

 private:
  std::int64_t millionths_ = 0;
};

}  // namespace reprise::plugin
