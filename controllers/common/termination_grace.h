// The time that a pool's node is given to end its pods, once it has to go.
#pragma once

#include <cstdint>

#include "api/gpu_pool.h"

namespace reprise::controllers {

inline constexpr std::int64_t kSpotNoticeSeconds = 120;      // AWS; the shortest that is worth planning with
inline constexpr std::int64_t kOnDemandNoticeSeconds = 600;  // nobody else wants the node: time for a large save

// The cloud's notice for spot, time to save on demand, unless the pool says otherwise.
[[nodiscard]] inline std::int64_t termination_grace_seconds(const api::PoolCapacity& capacity) {
  if (capacity.notice_seconds) return *capacity.notice_seconds;
  return capacity.type == api::CapacityType::Spot ? kSpotNoticeSeconds : kOnDemandNoticeSeconds;
}

}  // namespace reprise::controllers
