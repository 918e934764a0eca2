// The contents of the volume, as everybody has to see it who chooses from it.
#pragma once

#include <vector>

#include "agent/core/generations/halves/half_saves.h"
#include "agent/core/run/environment.h"
#include "agent/core/run/volume.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

struct VolumeScan {
  Checkpoints all{};               // also what may be none
  Checkpoints found{};             // all that count, complete or torn, newest first (checkpoint_order.h)
  MadeCheckpoints made{};          // checkpoints that agents have seen appear, and that are there
  std::vector<HalfSave> halves{};  // halves are torn in `found`, and in `all` as they lie
  Unreadable unreadable{};         // torn in `found`
};

// Tidied, by the agent that keeps the volume: entries of what is gone are deleted. ReadOnly changes nothing.
enum class MadeList { Tidied, ReadOnly };
[[nodiscard]] runtime::Result<VolumeScan> scan_volume(const Volume& volume, const Environment& env, MadeList list);

// The saves of which something is missing (generations/halves/half_saves.h) are torn from then on; none where a look
// was cut short. `found`: newest first, also afterwards.
std::vector<HalfSave> demote_halves(const Volume& volume, Checkpoints& found, const MadeCheckpoints& made, Holds holds);

[[nodiscard]] Holds held_by_volume(const Environment& env);
[[nodiscard]] HeldParts parts_held(const Environment& env);

}  // namespace reprise::agent
