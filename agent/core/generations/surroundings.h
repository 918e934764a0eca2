// Entries on the volume beside its checkpoints: files of their trainer's, and links that lead to them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/generations/generation.h"
#include "agent/core/run/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// True by the ending of the file's name.
[[nodiscard]] bool may_hold_state(std::string_view file);

struct Surroundings {
  std::vector<std::string> state;    // files that may hold weights or an optimizer's state, and are in no checkpoint
  std::vector<std::string> sides{};  // files that may be written beside a checkpoint (side_files.h)
  std::vector<std::string> links;    // entries that are neither a file nor a directory
  std::set<std::string> hidden;      // directories whose path has a part that begins with a dot, with links in them
  std::set<std::string> with_texts;  // directories in which a small file may name a checkpoint ("meta/best.txt")
  // Directories with a `.reprise` of their own: what lies there belongs to other jobs.
  std::set<std::string, std::less<>> of_others;
  std::string cut_short;  // not empty: not everything was looked at, and why; for people
  // The directories that hold links, also hidden ones; "" is the root.
  [[nodiscard]] std::set<std::string> folders_with_links() const;
};

// Directories whose names begin with a dot: they hold nothing of a save, and links perhaps, by which somebody keeps
// one.
enum class Hidden { Leave, LookForLinks };

// Directories are listed, nothing is read. What lies in one of `found` is left out, and so is what begins with a dot,
// but for links where they are asked for: not in the agent's own directory, nor in a file system's of its own past.
// What cannot be listed is an error, but for what is closed to this user.
[[nodiscard]] runtime::Result<Surroundings> look_around(const Volume& volume, const Checkpoints& found,
                                                        Hidden hidden = Hidden::Leave);

// A file beside it that no format knows and that may be of the same save; empty: there is none.
[[nodiscard]] std::string left_behind_by(const Generation& generation, const Surroundings& around);

}  // namespace reprise::agent
