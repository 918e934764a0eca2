// Money without floating point: micro-USD as integers, decimal strings on the wire.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::controllers::prices {

using MicroUsd = std::int64_t;

// "12.50", "0.1578", "3"; at most six decimals. Nothing when the text is not such a number or is too large.
[[nodiscard]] std::optional<MicroUsd> parse_usd(std::string_view text);
// What a status has counted so far; 0 of what is not there or is no amount.
[[nodiscard]] MicroUsd counted_usd(std::string_view text);
// The most that a status can say. A price comes from wherever a label of a node comes from.
inline constexpr MicroUsd kMostUsd = 9'999'999'999'999'900;
// No more than kMostUsd.
[[nodiscard]] MicroUsd sum(MicroUsd left, MicroUsd right);
// What so much per hour comes to; rounded to the nearest. 0 for a time that runs backwards.
[[nodiscard]] MicroUsd over(MicroUsd per_hour, std::chrono::seconds time);
// Two decimals at least, four at most: "12.50", "0.1578".
[[nodiscard]] std::string format_usd(MicroUsd amount);

}  // namespace reprise::controllers::prices
