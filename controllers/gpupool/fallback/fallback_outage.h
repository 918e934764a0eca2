// The time for which the capacity type in whose stead a fallback node was rented has not been to be had, as the record
// of status.drift and the pool's machines tell. Pure.
#pragma once

#include "controllers/gpupool/fallback/fallback_candidates.h"

namespace reprise::controllers::gpupool {

struct Outage {
  kube::Time since{}, last_try{};
  bool is_over = false;  // a machine of the preferred type has come since
};

[[nodiscard]] Outage outage_of(const Observation& seen, const NodesOfClaims& nodes, const CapacityRoom& room,
                               const FallbackNode& fallback);

}  // namespace reprise::controllers::gpupool
