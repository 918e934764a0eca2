// The files for which a mark stands (../marker_names.h): those in its directory and below it.
#pragma once

#include <cstddef>
#include <vector>

#include "agent/formats/checkpoint.h"
#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/structure/flaw.h"
#include "agent/formats/structure/passed_files.h"

namespace reprise::agent {

// A program that writes a directory anew in place leaves the mark of the save before in it, until all is written and
// for good where the save is cut off. So each file of a kind that is known (../structure/state_file.h) has to be whole,
// and each list needs the files that it names: an index of weights with one of its files beside it, the metadata of
// shards, an OCDBT store, an index of TensorFlow's. Where a file is newer than the mark, of those that count themselves
// ("model-00001-of-00003.safetensors") all have to be there. Unknown files pass, and so does one that bears the name of
// an unfinished save. Of the directory itself only names and kinds need be known. A file that has `passed` once is not
// read again, and no file behind the first kMostMarkedFiles is read. Where the volume cannot be read the mark counts,
// but not where the storage has lost a file that is looked into. The files that lists of sums name have to be there;
// whether the sums hold takes reading everything.
struct MarkedFiles {
  // Kinds of all files that were looked at and of files without an ending ("weights"); empty where there was too much.
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
