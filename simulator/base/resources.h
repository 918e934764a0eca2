// Amounts of resources: cpu, memory, devices, in thousandths of their unit.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "simulator/base/json.h"

namespace reprise::simulator {

using Resources = std::map<std::string, std::int64_t, std::less<>>;

// "4" is 4000, "100m" is 100, "16Gi" is 16 * 2^30 * 1000. 0 when the text is no quantity.
[[nodiscard]] std::int64_t parse_amount(std::string_view quantity);
[[nodiscard]] std::string format_amount(std::int64_t thousandths);
[[nodiscard]] Resources read_resources(const JsonObject& quantities);
[[nodiscard]] Value write_resources(const Resources& resources);
void add(Resources& to, const Resources& more);
void subtract(Resources& from, const Resources& less);
[[nodiscard]] std::int64_t amount(const Resources& resources, std::string_view name);
// The first resource of which `available` has too little; empty: it fits.
[[nodiscard]] std::string_view lacking(const Resources& wanted, const Resources& available);

}  // namespace reprise::simulator
