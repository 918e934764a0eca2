// Links and small files by which a trainer names its newest checkpoint: `latest`, `last.txt`, `resume.json`. What is
// put aside may be what they name; afterwards they name a whole one, or are gone.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/core/run/volume.h"
#include "agent/core/trackers/read_trackers.h"
#include "agent/core/trackers/unfit_checkpoints.h"

namespace reprise::agent {

// The ones of `names` that a tracker names, while they are there.
[[nodiscard]] std::set<std::string> named_by_trackers(const Volume& volume, const References& references,
                                                      const std::vector<std::string>& names);

// Links that lead to what was put aside, by this restore or an earlier one, straight or by another link, and trackers
// that name it, name nothing that is there, or are empty beside checkpoints; also any other small file that names it
// (trackers/tracker_text.h). Links of other jobs' volumes and those that lead out of this one are left alone. Returns a
// line for each that was changed or could not be.
[[nodiscard]] std::vector<std::string> mend_references(const Volume& volume, const References& references,
                                                       const Aside& aside);

}  // namespace reprise::agent
