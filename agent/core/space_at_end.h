// Looks at an end for whether it came from a volume that is full, and says so in the record.
#pragma once

#include <string>

#include "agent/core/record.h"
#include "agent/core/save_trail.h"
#include "agent/core/session.h"
#include "agent/core/watch.h"

namespace reprise::agent {

// Of a trainer that has failed; what the record says of its end already counts. `output`: its last lines.
void look_for_room(Session& session, const CheckpointWatch::Seen& seen, const SaveTrail& trail,
                   const std::string& output, bool stopped, Record& record);

// Of an agent that has started no trainer because of that.
void look_for_room_at_start(Session& session, Record& record);

}  // namespace reprise::agent
