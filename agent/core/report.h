// Leaves the record: termination message first (it cannot hang), then the volume, then the message again if the volume
// refused it. Nothing here can keep the agent from ending.
#pragma once

#include "agent/core/record.h"
#include "agent/core/session.h"
#include "agent/core/watch.h"

namespace reprise::agent {

// What the watch knows about the newest checkpoint, as the record says it.
void describe_checkpoint(const CheckpointWatch::Seen& seen, Record& record);

// What `keep` deletes nothing of; whether there is any.
[[nodiscard]] bool say_left_alone(Session& session, const CheckpointWatch::Seen& seen);

// The newest checkpoint for an agent that has not watched: looks once, with a bound.
void describe_volume(Session& session, Record& record);

void leave_record(Session& session, Record record);

}  // namespace reprise::agent
