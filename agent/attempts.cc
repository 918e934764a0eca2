#include "agent/attempts.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>

namespace reprise::agent {

runtime::Result<std::vector<std::int32_t>> list_attempts(const Volume& volume) {
  const auto names = volume.files.list(volume.layout.attempts());
  if (!names) return std::unexpected(names.error());
  std::vector<std::int32_t> numbers;
  for (const std::string& name : *names) {
    std::int32_t number = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (problem == std::errc{} && end == name.data() + name.size() && number > 0) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  return numbers;
}

}  // namespace reprise::agent
