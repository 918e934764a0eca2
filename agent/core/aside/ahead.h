// Checkpoints that one rank had saved and the others had not, of ranks with a volume each: in .reprise/ahead.
#pragma once

#include "agent/core/aside/volume_scan.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

// Drops checkpoints that this rank alone had saved: nobody resumes from one once all have passed that step, or this
// rank has saved it again without the others. Compares numbers, which tell nothing where they contradict the order. A
// few of the last ones stay where nothing is ever common.
[[nodiscard]] runtime::Result<void> drop_passed(const Volume& volume, const Identity& self, const ResumeChoice& choice,
                                                const VolumeScan& scan);

}  // namespace reprise::agent
