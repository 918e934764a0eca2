// Runs the trainer to its end: forwards signals, watches checkpoints, answers requests, obeys the fence.
#pragma once

#include <string>
#include <vector>

#include "agent/core/record/record.h"
#include "agent/core/run/session.h"
#include "agent/core/run/startup.h"

namespace reprise::agent {

// The record says how it ended; nothing below the agent is left running.
[[nodiscard]] Record supervise(Session& session, const std::vector<std::string>& command, const Startup& startup,
                               Record record);

}  // namespace reprise::agent
