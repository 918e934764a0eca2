// A resource.Quantity as far as devices have them: whole numbers, which the API server stores shortened ("16k").
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace reprise::kube {

// Empty: not a whole number of at least 0, or more than fits.
[[nodiscard]] inline std::optional<std::int64_t> whole_number(std::string_view quantity) {
  std::int64_t value = 0;
  const char* const end = quantity.data() + quantity.size();
  const auto [rest, error] = std::from_chars(quantity.data(), end, value);
  if (error != std::errc{} || value < 0) return std::nullopt;
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  if (suffix.empty()) return value;
  struct Scale {
    std::string_view suffix;
    std::int64_t factor;
  };
  for (const Scale& scale : {Scale{"k", 1'000}, Scale{"M", 1'000'000}, Scale{"G", 1'000'000'000}, Scale{"Ki", 1 << 10},
                             Scale{"Mi", 1 << 20}, Scale{"Gi", 1 << 30}}) {
    if (suffix != scale.suffix) continue;
    if (value > std::numeric_limits<std::int64_t>::max() / scale.factor) return std::nullopt;
    return value * scale.factor;
  }
  return std::nullopt;
}

}  // namespace reprise::kube
