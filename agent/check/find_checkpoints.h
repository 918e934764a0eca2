// Finds the checkpoints below a directory, and the complete ones among them: for people and scripts (`reprise-agent
// check`). Reads alone; nothing is changed, not even a time of access where the mount keeps none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/layouts/all_layouts.h"
#include "agent/volume/volume_files.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::agent {

enum class Verdict { Complete, Incomplete, Corrupt };
[[nodiscard]] std::string_view name(Verdict verdict);

struct CheckedCheckpoint {
  std::string path;  // below the directory that was searched; "." is that directory itself
  std::int64_t step = 0;
  std::string format;
  std::int64_t bytes = 0;
  runtime::WallTime time{};  // when it became complete; of others, when the directory or file was last changed
  Verdict verdict = Verdict::Incomplete;
  std::string reason;  // why it is not complete; empty of one that is
  HeldState state{};   // state of a complete one (../formats/checkpoint.h)
};

enum class Verify { Structure, Full };  // Full: each byte of what is complete is read (read_everything.h)

struct FoundCheckpoints {
  std::vector<CheckedCheckpoint> rows;  // newest step first, then by path
  std::string unsearched;               // places that were not looked into, and why; empty: none
  // Entries that are like one and were not taken, where none is complete or newer than all, and those that do not fit
  // their layout.
  std::string not_taken;
};

// Looks into directories that are no checkpoints, at most kDeepest levels below
// `root`; names that begin with a dot and links to directories are left out. A `root` that is not there or is no
// directory is an Invalid error.
inline constexpr int kDeepest = 8;
[[nodiscard]] runtime::Result<FoundCheckpoints> find_checkpoints(const VolumeFiles& files, const Layouts& layouts,
                                                                 const std::filesystem::path& root,
                                                                 Verify verify = Verify::Structure);

}  // namespace reprise::agent
