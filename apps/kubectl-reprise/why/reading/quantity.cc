#include "apps/kubectl-reprise/why/reading/quantity.h"

#include <array>
#include <charconv>
#include <utility>

namespace reprise::plugin::why {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 14> kUnits{{{"", 1},
                                                                      {"m", 1e-3},
                                                                      {"k", 1e3},
                                                                      {"M", 1e6},
                                                                      {"G", 1e9},
                                                                      {"T", 1e12},
                                                                      {"P", 1e15},
                                                                      {"E", 1e18},
                                                                      {"Ki", 0x1p10},
                                                                      {"Mi", 0x1p20},
                                                                      {"Gi", 0x1p30},
                                                                      {"Ti", 0x1p40},
                                                                      {"Pi", 0x1p50},
                                                                      {"Ei", 0x1p60}}};

}  // namespace

double parse_quantity(std::string_view text) {
  double number = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{}) return 0;
  const std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  for (const auto& [name, factor] : kUnits) {
    if (unit == name) return number * factor;
  }
  return 0;
}

}  // namespace reprise::plugin::why
