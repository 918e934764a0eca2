// Why an agent has not started its trainer, out of the word in its record.
#pragma once

#include <string_view>

#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {

enum class Refusal {
  MayPass,         // another writer is alive, the volume does not answer: the next attempt may find it otherwise
  CheckpointLost,  // a person has to say how to go on
};

// `word`: of the record, or of the attempt's end whose cause is Refused.
[[nodiscard]] inline Refusal refusal_of(std::string_view word) {
  return word == protocol::kReasonCheckpointLost ? Refusal::CheckpointLost : Refusal::MayPass;
}

}  // namespace reprise::controllers::resumablejob
