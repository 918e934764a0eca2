// Room on the volume for the agent's own few files, so that an attempt can begin, and delete what `keep` allows, where
// a trainer has filled it to the last byte: a file that is given up then.
#pragma once

#include <cstdint>

#include "agent/core/run/volume.h"

namespace reprise::agent {

// Fence, heartbeats, resume point and records of some hundred ranks.
inline constexpr std::int64_t kReserve = std::int64_t{1} << 20U;
// Free bytes with which a reserve does no harm.
inline constexpr std::int64_t kPlenty = 64 * kReserve;
// Free bytes with which a sixteenth of it does no harm.
inline constexpr std::int64_t kEnough = kPlenty / 16;

// Keeps a reserve where the volume has that much, and there is none yet. Not on mounts by FUSE: each byte there may
// have to be paid for.
void keep_reserve(const Volume& volume, std::int64_t free_bytes);
// Gives the reserve up where less than that is free. Before a trainer runs, or after its end: one that saves would take
// it.
void give_up_reserve(const Volume& volume);

}  // namespace reprise::agent
