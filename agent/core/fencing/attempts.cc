#include "agent/core/fencing/attempts.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>

namespace reprise::agent {

std::optional<std::int32_t> attempt_of(std::string_view directory) {
  std::int32_t number = 0;
  const char* last = directory.data() + directory.size();
  const auto [end, problem] = std::from_chars(directory.data(), last, number);
  if (problem != std::errc{} || end != last || number <= 0) return std::nullopt;
  return number;
}

std::optional<std::string> record_beside(std::string_view heartbeat) {
  constexpr std::string_view kHeart = ".alive", kRecord = ".json";
  if (!heartbeat.ends_with(kHeart)) return std::nullopt;
  return std::string(heartbeat.substr(0, heartbeat.size() - kHeart.size())) + std::string(kRecord);
}

runtime::Result<std::vector<std::int32_t>> list_attempts(const Volume& volume) {
  const auto names = volume.files.list(volume.layout.attempts());
  if (!names) return std::unexpected(names.error());
  std::vector<std::int32_t> numbers;
  for (const std::string& name : *names) {
    if (const auto number = attempt_of(name)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  return numbers;
}

}  // namespace reprise::agent
