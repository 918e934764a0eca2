// The prices of a cluster, from a file that an admin keeps (a ConfigMap's, mounted by the chart):
//
//   asOf: 2026-07-20
//   prices:
//   - {instanceType: g4dn.xlarge, capacityType: Spot, zone: us-east-1a, perHour: "0.1578"}
//
// Entries are those of a pool's spec.prices, with the same defaults: OnDemand, every zone. `asOf` is for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/gpu_pool.h"
#include "runtime/base/error.h"

namespace reprise::apps {

inline constexpr std::size_t kMostPrices = 10'000;  // a ConfigMap holds no more than 1 MiB

// Terminal: the file cannot be read, is not YAML, holds a field or a value that is not allowed; the message names the
// file, the entry and the field. A price that would be passed over in silence is an error too.
[[nodiscard]] runtime::Result<std::vector<api::InstancePrice>> read_prices(const std::string& path);
[[nodiscard]] runtime::Result<std::vector<api::InstancePrice>> parse_prices(std::string_view yaml);

}  // namespace reprise::apps
