// Checkpoints that are complete by their own files, and hold nothing where older ones beside them hold something: a
// node that is lost before a file system has written what was saved leaves files of no bytes under a mark that it has
// written, and a store to which the small files came first leaves the mark alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/formats/search/look_at_checkpoint.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// A look keeps what it has seen in a checkpoint, so that the next one need not ask again while it is as it was.
struct Emptied {
  runtime::WallTime modified{}, completed{};  // times of the directory, and of the mark
  std::vector<std::string> empty{};           // files without a byte, by their paths below it
  bool has_bytes = true;                      // beside its marks
  std::optional<Flaw> flaw{};                 // against the older ones
  std::string against{};                      // the older ones, in words that only a comparison reads
};
using EmptiedByPath = std::map<std::string, Emptied>;  // by the path on this machine

// Marks checkpoints whose files were emptied. Of the complete directories in one place that are named alike but for
// their numbers, the newest is held against the older ones, and where it has a flaw the next: Corrupt where a file has
// no byte that has some in each older one which has it (the same path, but for the number of the step), Incomplete
// where nothing in it has a byte but its mark and something in each older one has. A file that is empty in an older one
// too is meant so, and so is one that is empty in kMostEmptied checkpoints over kLongerThanLoss: no loss takes that
// long. Files that say by their names that they hold no state (logs, locks) are not looked at. The first checkpoint in
// a place is held against nothing. Sizes are asked for, nothing is opened; of at most kMostSizes files.
// `format_is_named`: what no name calls a checkpoint may be one.
[[nodiscard]] EmptiedByPath mark_emptied(const VolumeFiles& files, const std::filesystem::path& root,
                                         std::vector<FoundCheckpoint>& found, const EmptiedByPath& before,
                                         bool format_is_named);

inline constexpr std::size_t kMostSizes = 16'384, kMostOlder = 4, kMostEmptied = 3;
inline constexpr std::chrono::minutes kLongerThanLoss{10};

// The flaw that mark_emptied() has found in the checkpoint at `path`, if that is as it was; empty: no flaw.
[[nodiscard]] std::optional<Flaw> flaw_of_emptied(const EmptiedByPath& known, const std::filesystem::path& path,
                                                  const FoundCheckpoint& found);

}  // namespace reprise::agent
