#include "agent/core/early_ends.h"

#include <utility>

#include "agent/core/full_volume.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {

EarlyEnd fenced(std::string message) {
  return {.exit_code = protocol::kFencedExitCode,
          .reason = std::string(protocol::kReasonFenced),
          .message = std::move(message)};
}

EarlyEnd volume_unavailable(std::string message) {
  auto end = fenced(std::move(message));
  end.reason = reason_of_volume(end.message);
  return end;
}

EarlyEnd run_again(std::string_view reason, std::string message) {
  return {.exit_code = protocol::kCheckpointedExitCode, .reason = std::string(reason), .message = std::move(message)};
}

std::optional<EarlyEnd> rejection(const ResumePoint& point) {
  if (point.rejection.empty()) return std::nullopt;
  return EarlyEnd{.exit_code = protocol::kCheckpointLostExitCode,
                  .reason = point.reason.empty() ? std::string(protocol::kReasonCheckpointLost) : point.reason,
                  .message = point.rejection};
}

}  // namespace reprise::agent
