#include "runtime/http/retry_after.h"

#include <charconv>

namespace reprise::runtime {

std::optional<Duration> parse_retry_after(std::string_view value) {
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (value.starts_with('-')) return std::nullopt;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error == std::errc::result_out_of_range) return longest_retry_after;
  if (error != std::errc()) return std::nullopt;
  return retry_after_of(seconds);
}

}  // namespace reprise::runtime
