// What one rank had saved and the others had not, of ranks with a volume each: in .reprise/ahead.
#pragma once

#include "agent/core/aside/volume_scan.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

// What this rank alone had saved is nobody's to resume from once all have passed that step, or this rank has saved it
// again without the others. By number, which tells nothing where it contradicts the order. A few of what came last stay
// where nothing is ever common.
[[nodiscard]] runtime::Result<void> drop_passed(const Volume& volume, const Identity& self, const ResumeChoice& choice,
                                                const VolumeScan& scan);

}  // namespace reprise::agent
