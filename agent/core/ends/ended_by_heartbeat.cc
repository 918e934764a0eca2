#include "agent/core/ends/ended_by_heartbeat.h"

#include "agent/core/space/full_volume.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {

EndedByHeartbeat ended_by_heartbeat(const HeartbeatState& heartbeat, bool ran) {
  if (auto fenced = heartbeat.fenced(); !fenced.empty())
    return {.why = std::move(fenced), .reason = std::string(protocol::kReasonFenced)};
  const std::string stopped = ran ? heartbeat.stopped() : std::string();
  if (stopped.empty()) return {};
  return {.why =
              "the trainer was ended: its heartbeat came onto the volume no more, and the next attempt would have "
              "taken it for dead: " +
              stopped,
          .reason = std::string(reason_of_volume(stopped))};
}

}  // namespace reprise::agent
