// The instance types (machine_types.h) of which a price is known. Used where the provider's own labels do not suffice:
// NodeOverlays keyed on instance types, and price estimates when neither the pool nor the node says a price. Figures:
// AWS us-east-1 on-demand prices of 2026-07-20 (USD per hour).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "api/gpu_pool.h"

namespace reprise::controllers::gpupool {

struct InstanceType {
  std::string_view name;
  std::string_view gpu_model;
  std::int32_t gpus;
  std::int64_t gpu_memory_mib;  // each GPU's
  std::int64_t on_demand_micro_usd_per_hour;
};

[[nodiscard]] std::span<const InstanceType> catalog();
[[nodiscard]] const InstanceType* find_instance_type(std::string_view name);
// True when the pool's spec.gpu (and spec.instanceTypes, where given) admits this type.
[[nodiscard]] bool admits(const api::GpuPoolSpec& spec, const InstanceType& type);

// The share of the on-demand price that spot has cost on AWS (0.31 to 0.5 seen), where no spot quote is known.
inline constexpr std::int64_t kSpotPercentOfOnDemand = 40;

// Empty for a type that the catalogue lacks.
[[nodiscard]] std::optional<std::int64_t> on_demand_micro_usd_per_hour(std::string_view name);

}  // namespace reprise::controllers::gpupool
