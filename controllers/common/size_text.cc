#include "controllers/common/size_text.h"

#include <array>

namespace reprise::controllers {

std::string size_text(std::int64_t bytes) {
  constexpr std::array units = {"KiB", "MiB", "GiB", "TiB"};
  constexpr std::int64_t kStep = 1024;
  if (bytes < kStep) return std::to_string(bytes) + " B";
  std::int64_t unit_bytes = kStep;
  std::size_t unit = 0;
  while (bytes / unit_bytes >= kStep && unit + 1 < units.size()) {
    unit_bytes *= kStep;
    ++unit;
  }
  const std::int64_t tenths = bytes % unit_bytes / (unit_bytes / kStep) * 10 / kStep;
  return std::to_string(bytes / unit_bytes) + "." + std::to_string(tenths) + " " + units.at(unit);
}

}  // namespace reprise::controllers
