// Small text files that lie beside checkpoints, before anything is put aside: any of them may be the one by which a
// trainer finds its newest checkpoint, whatever it is called.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/core/aside/put_aside_before.h"
#include "agent/core/run/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

struct References {
  struct Tracker {
    std::string path;  // path of a file, below the root
    std::string text;
  };
  std::vector<Tracker> trackers;
};

// Reads the trackers in the root and in the directories above `found` and above those that were put aside before. In a
// directory with many small files only some, first those that a library or their name calls trackers. `more`:
// directories elsewhere, of which the first ones are looked into, for files with no number in their names.
[[nodiscard]] runtime::Result<References> read_references(const Volume& volume, const Checkpoints& found,
                                                          const std::set<std::string>& more = {});

// The directories that hold checkpoints; "" is the root, which counts always.
[[nodiscard]] std::set<std::string> folders_of(const Checkpoints& found, const PutAsideBefore& before);

// True if a library or everybody means a tracker by that name, whatever stands in it.
[[nodiscard]] bool is_known_tracker(std::string_view file);

}  // namespace reprise::agent
