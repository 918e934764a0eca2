#include "runtime/base/size_text.h"

#include <array>
#include <charconv>

namespace reprise::runtime {

std::string size_text(std::int64_t bytes) {
  constexpr std::array units = {"KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double size = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  while (size >= kStep && unit + 1 < units.size()) {
    size /= kStep;
    ++unit;
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, std::chars_format::fixed, 1).ptr;
  return std::string(digits.data(), end) + " " + units.at(unit);
}

}  // namespace reprise::runtime
