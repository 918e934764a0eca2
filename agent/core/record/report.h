// Leaves the record: termination message first (it cannot hang), then the volume, then the message again if the volume
// refused it. Nothing here can keep the agent from ending.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/core/record/record.h"
#include "agent/core/run/session.h"
#include "agent/core/watch/watch.h"

namespace reprise::agent {

// Puts what the watch knows about the newest checkpoint, as the record says it.
void describe_checkpoint(const CheckpointWatch::Seen& seen, Record& record);

// The first one of reasons that differ in their numbers alone, once. `said`: the text that all reasons until now have
// in common.
[[nodiscard]] std::vector<std::string> new_among(const std::vector<std::string>& reasons, std::set<std::string>& said);

// The newest checkpoint for an agent that has not watched: looks once, with a bound.
void describe_volume(Session& session, Record& record);

void leave_record(Session& session, Record record);

}  // namespace reprise::agent
