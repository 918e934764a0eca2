// Capacity types and zones: which of a pool's its own fields leave, and which a gang may run on. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/gpu_pool.h"
#include "controllers/gpupool/rentable/demand.h"
#include "controllers/gpupool/rentable/misfit.h"
#include "controllers/gpupool/rentable/room.h"

namespace reprise::controllers::rentable {

// Which of the pool's own requirements no machine of this capacity type meets; npos: none.
[[nodiscard]] std::size_t requirement_against(const api::GpuPoolSpec& spec, api::CapacityType type);
[[nodiscard]] std::optional<Misfit> against_every_capacity(const api::GpuPoolSpec& spec);
// What the pool says of zones leaves none.
[[nodiscard]] std::optional<Misfit> against_every_zone(const api::GpuPoolSpec& spec);

// A gang's pods may run on machines of this capacity type.
[[nodiscard]] bool may_run_on(const std::string& pool, api::CapacityType type, const Gang& gang);
// No capacity type that the pool rents is one that the gang may run on; it rents some.
[[nodiscard]] Misfit no_capacity_for(const std::string& pool, const api::GpuPoolSpec& spec, const Gang& gang);
// No zone of the pool is one that the gang may run in.
[[nodiscard]] std::optional<Misfit> no_zone_for(const std::string& pool, const api::GpuPoolSpec& spec,
                                                const Gang& gang);

}  // namespace reprise::controllers::rentable
