#include "apps/kubectl-reprise/terminal/time_text.h"

#include <algorithm>

namespace reprise::plugin {

std::string length_text(std::chrono::seconds length) {
  const auto seconds = std::max<std::chrono::seconds::rep>(length.count(), 0);
  const auto two = [](auto large, const char* unit, auto small, const char* small_unit) {
    return std::to_string(large) + unit + (small == 0 ? "" : std::to_string(small) + small_unit);
  };
  if (seconds < 120) return std::to_string(seconds) + "s";
  if (seconds < 3 * 3600) return two(seconds / 60, "m", seconds < 600 ? seconds % 60 : 0, "s");
  if (seconds < 48 * 3600) return two(seconds / 3600, "h", seconds / 60 % 60, "m");
  if (seconds < 8 * 86400) return two(seconds / 86400, "d", seconds / 3600 % 24, "h");
  return std::to_string(seconds / 86400) + "d";
}

std::string age_text(std::optional<kube::Time> then, kube::Time now) {
  if (!then || *then == kube::Time{}) return {};
  return length_text(std::chrono::floor<std::chrono::seconds>(now - *then));
}

}  // namespace reprise::plugin
