// A job that has saved before expects this of its disk, where nothing proves the newest that lies there.
#pragma once

#include <string>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/proofs/unproven.h"
#include "agent/core/run/environment.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

// True if the operator expects just the checkpoint that was never proven, now or as a former start has put it aside: an
// older one is then no loss that a person has to accept.
[[nodiscard]] bool expects_unproven(const Volume& volume, const Environment& env, const VolumeScan& scan,
                                    const Unproven& unproven);

// A checkpoint that a person has accepted in place of all that is gone counts as if it were proven: it is resumed from.
void use_accepted(const Environment& env, const Identity& self, const VolumeScan& scan, Unproven& unproven);

// Empty: there is something to resume from, or nothing was ever proven. A trainer that keeps one checkpoint deletes the
// one before at once: a job that had come far would begin from zero without a word.
[[nodiscard]] std::string why_not_from_nothing(const Environment& env, bool all_agree, const VolumeScan& scan,
                                               const Unproven& unproven);

}  // namespace reprise::agent
