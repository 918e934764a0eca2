// Everything before the trainer: may this agent start, and from which checkpoint?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/core/restore/resume_point.h"
#include "agent/core/run/session.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"
#include "protocol/common_checkpoint.h"

namespace reprise::agent {

// How the agent ends without ever having started the trainer.
struct EarlyEnd {
  int exit_code = 0;
  std::string reason{};
  std::string message{};
  bool stop_requested = false;
};

struct Startup {
  std::optional<EarlyEnd> end;  // empty: train
  ResumePoint point;
  bool published = true;  // the point is on the volume for others to read
  Checkpoints ignored;
  Checkpoints before;
  MadeCheckpoints made;
  std::optional<protocol::CommonStep> common;  // the step that ranks with a volume each resume from
  Checkpoints unproven;                        // put aside since nothing proves them
  std::vector<std::string> notes;
};

// Starts the heartbeats on the way. A stop request ends it early.
[[nodiscard]] Startup start_up(Session& session);

}  // namespace reprise::agent
