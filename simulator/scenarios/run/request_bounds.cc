#include "simulator/scenarios/run/request_bounds.h"

#include <algorithm>

namespace reprise::simulator {
namespace {

constexpr Duration one_minute{60'000};
// The requests of one operator in one minute. A start lists every kind; a storm of a few jobs is far below.
constexpr std::uint64_t most_requests_a_minute = 1'200;

}  // namespace

std::optional<std::string> RequestBounds::look(Duration now, const Operators& operators) {
  if (now < minute_begins_ + one_minute) return std::nullopt;
  const std::uint64_t requests = operators.traffic().requests - requests_then_;
  // Each start may ask for everything once.
  const std::uint64_t allowed = most_requests_a_minute + (operators.starts() - starts_then_) * 100;
  const auto minutes = static_cast<std::uint64_t>((now - minute_begins_) / one_minute);
  minute_begins_ = now;
  requests_then_ += requests;
  starts_then_ = operators.starts();
  if (requests <= allowed * std::max<std::uint64_t>(minutes, 1)) return std::nullopt;
  return std::to_string(requests) + " requests in " + std::to_string(minutes) + " min";
}

}  // namespace reprise::simulator
