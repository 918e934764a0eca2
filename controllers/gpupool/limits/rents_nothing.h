// A pool that by numbers alone can rent no machine (rentable/room.h) must not look ready. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controllers/gpupool/decide/observation.h"
#include "controllers/gpupool/rentable/room.h"

namespace reprise::controllers::gpupool {

struct RentsNothing {
  rentable::Lack lack = rentable::Lack::InstanceType;
  std::string_view reason;  // for conditions
  std::string message;
};

// Nothing: it can, or nobody knows. A machine that is there and that the table of machines lacks shows that the table
// is behind.
[[nodiscard]] std::optional<RentsNothing> rents_nothing(const Observation& seen);

}  // namespace reprise::controllers::gpupool
