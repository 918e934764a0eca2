// The files of libraries' checkpoints, one by one: the simulated trainers of some jobs leave them on a volume. The
// agent's own layouts (agent/formats/layouts) have to conclude from these files what the simulator knows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::simulator {

// None: own trainers, which write a marker. RankFolders and RankNames: so do these, but each rank into a directory of
// its own, and the directories of all ranks are one checkpoint.
enum class Library { None, HuggingFace, Lightning, PyTorchDcp, RankFolders, RankNames };

// A file as it is on the disk.
struct DiskFile {
  std::string text;
  runtime::Duration time{0};  // when it was written last
};
using FilesByName = std::map<std::string, DiskFile, std::less<>>;

// A file that a library writes.
struct LibraryFile {
  std::string name;  // below the checkpoint; empty: the checkpoint is that file
  std::string text;
  std::string begun{};    // under this name until it is whole; empty: in place
  bool is_needed = true;  // false: the library resumes without it
  int rank = 0;           // its directory's rank, where each rank has one
};

// The name in spec.checkpoint.format; None: Marker. Ranks that write a directory each are known to the simulator alone.
[[nodiscard]] std::string_view name_of(Library library);
[[nodiscard]] bool has_a_directory_for_each_rank(Library library);
[[nodiscard]] Library library_named(std::string_view name);

// The library's name for its checkpoint of that step: "checkpoint-120", "epoch=1-step=120.ckpt", "rank0/step-120".
[[nodiscard]] std::string checkpoint_named(Library library, std::int64_t step, int rank = 0);
// Returns the files in the order in which the library writes them; the last one makes the checkpoint complete.
[[nodiscard]] std::vector<LibraryFile> files_of(Library library, std::int64_t step, int ranks);
// Damages the files as a power loss does: names and times stay, some files have lost their bytes, which ones depends on
// the step. One at least is needed.
void lose_bytes(FilesByName& files, std::int64_t step);
// Cuts off one file that the library needs; the step decides which one.
void cut_off(FilesByName& files, std::int64_t step);

}  // namespace reprise::simulator
