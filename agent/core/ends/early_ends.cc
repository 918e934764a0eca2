#include "agent/core/ends/early_ends.h"

#include <cstdint>
#include <utility>

#include "agent/core/space/full_volume.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

constexpr std::int64_t kHeartbeatRoom = std::int64_t{64} << 10U;

}  // namespace

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

EarlyEnd without_heartbeat(const Volume& volume, const std::string& problem) {
  auto end = volume_unavailable("no heartbeat could be written to the volume, so no trainer is started: " + problem);
  const auto free = volume.files.free_space(volume.layout.root);
  if (free && (free->bytes < kHeartbeatRoom || free->files == 0)) end.reason = protocol::kReasonVolumeFull;
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
