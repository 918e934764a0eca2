// Looks at an end for whether it came from a volume that is full, and says so in the record.
#pragma once

#include <string>

#include "agent/core/record/record.h"
#include "agent/core/run/session.h"
#include "agent/core/watch/save_trail.h"
#include "agent/core/watch/watch.h"

namespace reprise::agent {

struct FailedEnd {
  std::string output{};  // its last lines
  bool stopped = false;  // somebody had asked for it
  bool looked = true;    // at the volume since then
};
// Looks for room after a trainer has failed; the record already counts.
void look_for_room(Session& session, const CheckpointWatch::Seen& seen, const SaveTrail& trail, const FailedEnd& end,
                   Record& record);

// Looks for room where an agent has started no trainer because of it.
void look_for_room_at_start(Session& session, Record& record);

}  // namespace reprise::agent
