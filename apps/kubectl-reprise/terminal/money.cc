#include "apps/kubectl-reprise/terminal/money.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

namespace reprise::plugin {
namespace {

constexpr std::int64_t kUnit = 1'000'000, kCent = 10'000;
constexpr std::int64_t kMost = 1'000'000'000;  // keeps sums from overflowing

}  // namespace

std::optional<Money> Money::read(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  auto [at, problem] = std::from_chars(text.data(), end, whole);
  if (problem != std::errc() || whole < 0 || whole > kMost) return std::nullopt;
  std::int64_t parts = 0, place = kUnit;
  if (at != end && *at != '.') return std::nullopt;
  for (++at; at < end; ++at) {
    if (*at < '0' || *at > '9') return std::nullopt;
    place /= 10;
    parts += (*at - '0') * place;
  }
  const std::int64_t all = whole * kUnit + parts;
  return Money(negative ? -all : all);
}

Money Money::share(std::int64_t of, std::int64_t all) const {
  return all <= 0 ? Money() : Money(millionths_ / all * of + millionths_ % all * of / all);
}

std::string Money::text() const {
  const std::int64_t cents = (std::abs(millionths_) + kCent / 2) / kCent;
  return fmt::format("{}{}.{:02}", millionths_ < 0 && cents != 0 ? "-" : "", cents / 100, cents % 100);
}

}  // namespace reprise::plugin
