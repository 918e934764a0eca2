// Chooses the part of a save in several parts whose name its trainer is given.
#pragma once

#include <string>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/proofs/unproven.h"
#include "agent/core/run/identity.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// The main part of the save to which `chosen` belongs: the part that is no optimizer's or other side file, of the
// lowest rank: of those that lie beside it or differ from it in a number alone, may be resumed from and are proven.
// Parts of a save that another job has made are told by their names. Itself where it is one.
[[nodiscard]] Checkpoint main_part(const Checkpoint& chosen, const Identity& self, const VolumeScan& scan,
                                   const Unproven& unproven, bool format_is_certain);

}  // namespace reprise::agent
