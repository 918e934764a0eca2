// The entries of the volume that a start puts aside, and the places to which they go.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/restore/restore.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/core/watch/made_checkpoints.h"

namespace reprise::agent {

struct ToPutAside {
  const VolumeScan& scan;
  const ResumeChoice& choice;
  std::vector<std::string> kept;  // known to the operator, or chosen before
  bool format_is_certain = false;
  std::set<std::string> unproven{};
};

// Moved where the volume moves directories; where it does not, written down. Old checkpoints must not come back in the
// next attempt: an error when that cannot be made sure of. Torn ones never do harm.
[[nodiscard]] runtime::Result<void> put_aside(const Volume& volume, const Identity& self, const ToPutAside& question,
                                              Restored& restored);

// A library that looks for the newest checkpoint by itself knows nothing of the lists: what a full read has found
// damaged while a trainer ran moves away before the next one does, where the volume can do that.
void move_damaged(const Volume& volume, const Identity& self, const Checkpoints& found, Restored& restored);

// Leaves out directories that may be the trainer's data: they may hold millions of files, and directories that are
// closed to this user.
[[nodiscard]] Checkpoints without_data(Checkpoints found, const MadeCheckpoints& made);

}  // namespace reprise::agent
