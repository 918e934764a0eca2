// What lies on the volume beside its checkpoints: files of their trainer's, and links that lead to them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/generations/generation.h"
#include "agent/core/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// By the ending of its name.
[[nodiscard]] bool may_hold_state(std::string_view file);

struct Surroundings {
  std::vector<std::string> state;    // files that may hold weights or an optimizer's state, and are in no checkpoint
  std::vector<std::string> sides{};  // files that may be written beside a checkpoint (side_files.h)
  std::vector<std::string> links;    // whatever is neither a file nor a directory
  // Directories with a `.reprise` of their own: what lies there belongs to other jobs.
  std::set<std::string, std::less<>> of_others;
  std::string cut_short;  // not empty: not everything was looked at, and why; for people
  // The directories that hold links; "" is the root.
  [[nodiscard]] std::set<std::string> folders_with_links() const;
};

// Directories are listed, nothing is read. What begins with a dot and what lies in one of `found` is left out. What
// cannot be listed is an error, but for what is closed to this user.
[[nodiscard]] runtime::Result<Surroundings> look_around(const Volume& volume, const Checkpoints& found);

// A file beside it that no format knows and that may be of the same save; empty: there is none.
[[nodiscard]] std::string left_behind_by(const Generation& generation, const Surroundings& around);

}  // namespace reprise::agent
