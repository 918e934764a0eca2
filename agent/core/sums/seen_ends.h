// Whether what an earlier agent has read from a volume may still be taken for what lies there. A node that goes down
// takes along what it had not written yet, and it may have shown it to whoever read: an agent that saw the end of its
// trainer has left a record behind it.
#pragma once

#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

// Of attempt `since` and all after it, before that of `self`: every rank that had a heartbeat has left a record.
[[nodiscard]] bool all_ends_were_seen(const VolumeFiles& files, const VolumeLayout& layout, std::int32_t since,
                                      const Identity& self);

// Whether the heartbeat of that rank of this attempt is that pod's: no other has come after it.
[[nodiscard]] bool is_current(const VolumeFiles& files, const VolumeLayout& layout, const Identity& pod);

// Whether another pod was this rank in this attempt, and has left no record. Before the first heartbeat of its own.
[[nodiscard]] bool follows_unseen_end(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self);

}  // namespace reprise::agent
