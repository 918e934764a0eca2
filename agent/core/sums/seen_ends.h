// Tells if the bytes that an earlier agent has read from a volume may still be taken for those that lie there. A node
// that goes down takes along its unwritten bytes, and it may have shown them to readers: an agent that saw the end of
// its trainer has left a record behind it.
#pragma once

#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

// True if every rank that had a heartbeat has left a record, in attempt `since` and all after it, before that of
// `self`.
[[nodiscard]] bool all_ends_were_seen(const VolumeFiles& files, const VolumeLayout& layout, std::int32_t since,
                                      const Identity& self);

// True if the heartbeat of that rank of this attempt is that pod's: no other has come after it.
[[nodiscard]] bool is_current(const VolumeFiles& files, const VolumeLayout& layout, const Identity& pod);

// True if another pod was this rank in this attempt, and has left no record. Before the first heartbeat of its own.
[[nodiscard]] bool follows_unseen_end(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self);

}  // namespace reprise::agent
