// A job that knows of no checkpoint, on a volume that holds some of an earlier training: a person has to say that it is
// to begin from zero.
#pragma once

#include <string>

#include "agent/core/choose_resume.h"
#include "agent/core/environment.h"
#include "agent/core/identity.h"
#include "agent/core/volume.h"
#include "agent/core/volume_scan.h"

namespace reprise::agent {

// Why no trainer may start: the volume holds checkpoints in the layout of a library, with a step beyond 0 and from
// before this job, none of them is complete, and no attempt of this job has ever trained. Empty: it may. A model to
// start from is none of them, nor is what only a name says to be one.
[[nodiscard]] runtime::Result<std::string> why_not_anew(const Volume& volume, const Environment& env,
                                                        const Identity& self, const VolumeScan& scan,
                                                        const ResumeChoice& choice);

}  // namespace reprise::agent
