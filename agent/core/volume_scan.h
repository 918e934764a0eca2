// What is on the volume, as everybody has to see it who chooses from it.
#pragma once

#include "agent/core/environment.h"
#include "agent/core/made_checkpoints.h"
#include "agent/core/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

struct VolumeScan {
  Checkpoints all{};       // also what may be none
  Checkpoints found{};     // what of it counts, complete or torn, newest first (checkpoint_order.h)
  MadeCheckpoints made{};  // what agents have seen appear, and is there
};

// By whoever keeps the volume: entries of what is gone are deleted. ReadOnly changes nothing.
enum class MadeList { Tidied, ReadOnly };
[[nodiscard]] runtime::Result<VolumeScan> scan_volume(const Volume& volume, const Environment& env, MadeList list);

}  // namespace reprise::agent
