#include "controllers/prices/money.h"

#include <algorithm>
#include <limits>

namespace reprise::controllers::prices {

std::optional<MicroUsd> parse_usd(std::string_view text) {
  constexpr std::size_t kMaxWhole = 10;  // as in the GpuPool's own amounts
  constexpr std::size_t kDecimals = 6;
  const std::size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  std::string_view fraction = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  const auto digits = [](std::string_view part) {
    return std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (whole.empty() || whole.size() > kMaxWhole || !digits(whole) || !digits(fraction)) return std::nullopt;
  if (dot != std::string_view::npos && fraction.empty()) return std::nullopt;
  fraction = fraction.substr(0, kDecimals);  // a cloud's price label may carry more digits than money has
  MicroUsd value = 0;
  for (const char c : whole) value = value * 10 + (c - '0');
  for (std::size_t i = 0; i < kDecimals; ++i) value = value * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  return value;
}

MicroUsd counted_usd(std::string_view text) {
  return parse_usd(text).value_or(0);
}

MicroUsd sum(MicroUsd left, MicroUsd right) {
  return std::min(left + std::min(right, kMostUsd), kMostUsd);
}

MicroUsd over(MicroUsd per_hour, std::chrono::seconds time) {
  constexpr std::int64_t hour = 3600;
  if (per_hour <= 0 || time.count() <= 0) return 0;
  if (per_hour > (std::numeric_limits<MicroUsd>::max() - hour) / time.count()) return kMostUsd;
  return std::min((per_hour * time.count() + hour / 2) / hour, kMostUsd);
}

std::string format_usd(MicroUsd amount) {
  amount = std::clamp(amount, -kMostUsd, kMostUsd);
  const bool negative = amount < 0;
  if (negative) amount = -amount;
  const MicroUsd tenth_of_mill = (amount + 50) / 100;
  std::string fraction = std::to_string(10000 + tenth_of_mill % 10000).substr(1);
  while (fraction.size() > 2 && fraction.back() == '0') fraction.pop_back();
  return (negative ? "-" : "") + std::to_string(tenth_of_mill / 10000) + "." + fraction;
}

}  // namespace reprise::controllers::prices
