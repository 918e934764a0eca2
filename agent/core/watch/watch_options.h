// How an attempt's checkpoints are looked at while its trainer runs.
#pragma once

#include "agent/core/run/session.h"
#include "agent/core/run/startup.h"
#include "agent/core/watch/watch.h"

namespace reprise::agent {

// But for who is told of them, and for which of them older ones may go.
[[nodiscard]] CheckpointWatch::Options watch_options(Session& session, const Startup& startup);

}  // namespace reprise::agent
