// A small text file that names a checkpoint, by its path, its name or its step, and the same file naming another one.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/trackers/read_trackers.h"
#include "agent/core/trackers/unfit_checkpoints.h"

namespace reprise::agent {

struct TrackerText {
  Unfit named;
  // The newest complete one there; null: there is none, or the file says more of the former one than can be put right.
  const Checkpoint* whole = nullptr;
  std::string text{};      // the text that names it
  bool says_more = false;  // values of which nobody knows whether they go with another checkpoint
};
// Empty: the tracker names none that is unfit. A list that names others as well loses those that are.
[[nodiscard]] std::optional<TrackerText> with_whole_named(const UnfitCheckpoints& unfit,
                                                          const References::Tracker& tracker);

// The paths below the root that a text may mean by a path: it may begin at the file itself, at the root of the volume
// or at that of the file system.
[[nodiscard]] std::vector<std::string> paths_meant(const std::filesystem::path& root, std::string_view folder,
                                                   const std::string& said);
// The ones of `asked` that it names as one, and not in a list of all that there are.
[[nodiscard]] std::set<std::string> named_alone(const std::filesystem::path& root, const References::Tracker& tracker,
                                                const std::set<std::string>& asked);

}  // namespace reprise::agent
