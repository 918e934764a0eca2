// Links and small files by which a trainer names its newest checkpoint: `latest`, `last`, `latest.txt`. What is put
// aside may be what they name; afterwards they name a whole one, or are gone.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/core/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

struct References {
  struct Tracker {
    std::string path;  // of a file, below the root
    std::string text;
  };
  std::vector<Tracker> trackers;
};

// In the root and in the directories of `found`, before anything is put aside: a format may mend some of them itself.
[[nodiscard]] runtime::Result<References> read_references(const Volume& volume, const Checkpoints& found);

// Those of `names` that a tracker names, while they are there.
[[nodiscard]] std::set<std::string> named_by_trackers(const Volume& volume, const References& references,
                                                      const std::vector<std::string>& names);

struct Aside {
  std::vector<std::string> names;  // that do not count any more, moved or not
  Checkpoints left;                // that do, newest first
  Checkpoints found;               // all: links within one of them are its own
};
// Links that lead to what was put aside, by this restore or an earlier one, straight or by another link, and trackers
// that name it, name nothing that is there, or are empty beside checkpoints. Links of other jobs' volumes and those
// that lead out of this one are left alone. Returns a line for each that was changed or could not be.
[[nodiscard]] std::vector<std::string> mend_references(const Volume& volume, const References& references,
                                                       const Aside& aside);

}  // namespace reprise::agent
