// A job that knows of no checkpoint, on a volume that holds some of an earlier training: a person has to say that it is
// to begin from zero.
#pragma once

#include <string>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/fencing/job_history.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/run/environment.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

struct WhyNotAnew {
  std::string rejection{};  // not empty: no trainer may start
  std::string note{};       // for the record, of a trainer that may
};
// Says why no trainer may start: the volume holds checkpoints in the layout of a library, with a step beyond 0 and from
// before this job, none of them is complete, and no attempt of this job has ever trained. What only a name says to be
// one is none of them, nor is a model to start from: whole weights and nothing of an optimizer's state, of which only
// names miss anything, and no other one like it beside it. Several like it are what a training has left.
[[nodiscard]] runtime::Result<WhyNotAnew> why_not_anew(const Volume& volume, const Environment& env,
                                                       const Identity& self, HistoryOnce& once, const VolumeScan& scan,
                                                       const ResumeChoice& choice);

}  // namespace reprise::agent
