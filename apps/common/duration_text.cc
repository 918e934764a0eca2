#include "apps/common/duration_text.h"

#include <charconv>
#include <cmath>

namespace reprise::apps {
namespace {

struct Unit {
  std::string_view name;
  double milliseconds;
};

// "ms" before "s", which it ends with.
constexpr Unit kUnits[] = {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}};
constexpr double kMost = 30.0 * 24 * 3'600'000;

}  // namespace

std::optional<runtime::Duration> parse_duration(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const char* const end = text.data() + text.size() - unit.name.size();
    double count = 0;
    const auto [stopped, problem] = std::from_chars(text.data(), end, count);
    const double total = count * unit.milliseconds;
    if (problem != std::errc() || stopped != end || !std::isfinite(total) || total < 0 || total > kMost)
      return std::nullopt;
    return runtime::Duration(std::llround(total));
  }
  return std::nullopt;
}

}  // namespace reprise::apps
