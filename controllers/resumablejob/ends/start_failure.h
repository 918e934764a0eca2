// The cause for which an agent has not started its trainer, from the reason in its record.
#pragma once

#include <string_view>

#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {

enum class StartFailure {
  MayPass,         // another writer is alive, the volume does not answer: the next attempt may find it otherwise
  CheckpointLost,  // a person has to say how to go on
  VolumeFull,      // a person has to make room
};

// `reason`: of the record, or of the attempt's end whose cause is Refused.
[[nodiscard]] inline StartFailure start_failure_of(std::string_view reason) {
  if (reason == protocol::kReasonVolumeFull) return StartFailure::VolumeFull;
  const bool asks_a_person = reason == protocol::kReasonCheckpointLost || reason == protocol::kReasonNotRecognised;
  return asks_a_person ? StartFailure::CheckpointLost : StartFailure::MayPass;
}

}  // namespace reprise::controllers::resumablejob
