// Says why an agent has ended its trainer of itself, by what its heartbeats have found out.
#pragma once

#include <string>

#include "agent/core/run/session.h"

namespace reprise::agent {

struct EndedByHeartbeat {
  std::string why;  // empty: it has not
  std::string reason;
};

// `ran`: the trainer had not ended by itself. One that had needs no heartbeat any more.
[[nodiscard]] EndedByHeartbeat ended_by_heartbeat(const HeartbeatState& heartbeat, bool ran);

}  // namespace reprise::agent
