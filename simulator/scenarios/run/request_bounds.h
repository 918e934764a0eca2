// Operators ask for no more than they need: the invariant `bounded-requests`, judged each minute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/cluster/event_loop.h"
#include "simulator/scenarios/run/operators.h"

namespace reprise::simulator {

class RequestBounds {
 public:
  // Call it after each step. Returns a sentence when the invariant is broken.
  [[nodiscard]] std::optional<std::string> look(Duration now, const Operators& operators);

 private:
  Duration minute_begins_{0};
  std::uint64_t requests_then_ = 0, starts_then_ = 0;
};

}  // namespace reprise::simulator
