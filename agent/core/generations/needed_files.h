// Finds the files of an older generation that a newer one has to have, too, by what the saves in between show. Pure.
#pragma once

#include <string>
#include <vector>

#include "agent/core/generations/generation.h"
#include "agent/core/generations/halves/known_saves.h"

namespace reprise::agent {

// Leaves out files that a newer generation need not have. Of kinds of which a trainer writes fewer at one save and more
// at the next (halves/changing_files.h) `generations` have one each from then on, or none: a save of which the trainer
// has not gone on to another one, and that has fewer than any, counts as one without, since the others may still be
// written. Of pieces by which nobody goes on those are left out that none of the last three saves like those that
// brought some has: a `config_100.json` beside the first save alone. `known`: saves that are gone, of that job.
void leave_out_needless(std::vector<Generation>& generations, const KnownParts& known, const std::string& job_uid);

}  // namespace reprise::agent
