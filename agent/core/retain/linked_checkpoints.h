// Checkpoints that a link on the volume leads to: a trainer's "best", or the shards that a newer checkpoint shares with
// an older one. They are needed for as long as the link is there.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/core/run/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// True if one of `links`, which are paths below the root, leads to that checkpoint, into it or to a folder of it.
[[nodiscard]] bool is_reached(const std::string& checkpoint, const std::set<std::string>& links);

// `pruned` without those that are reached by a link directly in the root, beside a checkpoint, in one of `folders`, or
// from within one of `found` that stays.
// What cannot be read is an error: then nothing is to go.
[[nodiscard]] runtime::Result<std::vector<std::string>> spare_linked(const Volume& volume, const Checkpoints& found,
                                                                     std::vector<std::string> pruned,
                                                                     const std::set<std::string>& folders = {});

// The ones of `names` that a complete one of `found` which is not among them needs: through a link from within it, or
// from within another that it needs. A link directly below the root does not count: a trainer's "latest" leads to torn
// ones. An unreadable directory is an error: then each may be needed.
[[nodiscard]] runtime::Result<std::set<std::string>> needed_by_complete(const Volume& volume, const Checkpoints& found,
                                                                        const std::vector<std::string>& names);

struct Deletion {
  std::string name;
  std::set<std::string> leads_to;  // paths below the root; not looked at where nothing else is to go
};
// `pruned`, newest first, in the order in which to delete: the oldest first, but before it what links into it. So
// whoever is stopped in between leaves no checkpoint without what it is made of.
[[nodiscard]] runtime::Result<std::vector<Deletion>> order_of_deletion(const Volume& volume,
                                                                       const std::vector<std::string>& pruned);

}  // namespace reprise::agent
