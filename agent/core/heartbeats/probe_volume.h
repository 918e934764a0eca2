// Finds out what the volume allows, once an attempt, beside the start: by whoever keeps the volume, after its fence is
// raised. Nothing waits for it, so a volume that hangs holds up nothing.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "agent/core/run/session.h"
#include "agent/core/run/worker.h"

namespace reprise::agent {

// Heartbeats come less often where each small file is a paid request to an object store; each says itself how often
// (heartbeat.h).
[[nodiscard]] std::chrono::milliseconds heartbeat_period(const Environment& env, const std::optional<MountKind>& kind);

// Text for people; empty where an agent on another node sees what this one writes.
[[nodiscard]] std::string said_of_reach(const std::optional<MountKind>& kind);

// Null where the file system is not known.
[[nodiscard]] std::unique_ptr<Worker> probe_volume(Session& session);

}  // namespace reprise::agent
