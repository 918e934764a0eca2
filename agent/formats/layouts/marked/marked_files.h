// What a mark stands for (../marker_names.h): the files in its directory and below it.
#pragma once

#include <cstddef>
#include <vector>

#include "agent/formats/checkpoint.h"
#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/structure/flaw.h"
#include "agent/formats/structure/passed_files.h"

namespace reprise::agent {

// Who writes a directory anew in place leaves the mark of the save before in it, until all is written and for good
// where the save is cut off. So each file of a kind that is known (../structure/state_file.h) has to be whole, and what
// lists others has to have them: an index of weights with one of its files beside it, the metadata of shards, an OCDBT
// store, an index of TensorFlow's. Where a file is newer than the mark, of those that count themselves
// ("model-00001-of-00003.safetensors") all have to be there. What is not known passes, and so does what bears the name
// of an unfinished save. Of the directory itself only names and kinds need be known. What has `passed` once is not read
// again, and behind the first kMostMarkedFiles nothing is. Where the volume cannot be read the mark counts, but not
// where the storage has lost a file that is looked into.
// Of lists of sums what they name has to be there; whether the sums hold takes reading everything.
struct MarkedFiles {
  // All that was looked at and files without an ending ("weights"); nothing where there was too much.
  std::vector<StateFiles> state{};
  bool has_sums = false;  // a list of sums is among them (manifest.h)
};
[[nodiscard]] Flawed check_marked_files(const CheckpointContents& contents, const FileInfo& mark, PassedFiles& passed,
                                        MarkedFiles* seen = nullptr);

// The same of what is in directories of a checkpoint without a mark, where other rules say what the files in it are.
// Shards need their metadata there, which is written last.
[[nodiscard]] Flawed check_files_below(const CheckpointContents& contents, PassedFiles& passed);

inline constexpr std::size_t kMostMarkedFiles = 16'384;

}  // namespace reprise::agent
