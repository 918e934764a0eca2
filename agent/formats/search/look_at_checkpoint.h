// One directory or file of the volume, held against the layouts that may be meant.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/formats/layouts/all_layouts.h"
#include "agent/volume/volume_files.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

struct FoundCheckpoint {
  std::string path;         // below the root; "." is the root itself
  std::string_view format;  // the layout's name
  std::int64_t step = 0;
  FileInfo itself;
  Judgement judgement;
};

// Times of files are coarse: two saves may be as old as each other, and then the higher step is the later one.
[[nodiscard]] inline std::pair<runtime::WallTime, std::int64_t> order_in_time(const FoundCheckpoint& found) {
  return {found.judgement.completed, found.step};
}

struct LookedAt {
  std::optional<FoundCheckpoint> checkpoint;  // without its path; empty: no layout recognises it
  std::vector<DirectoryEntry> entries;        // entries of a directory that is none
  bool is_closed = false;                     // a directory that this user may not list: it has no entries
  bool is_weights_alone = false;              // a file that is none for that reason
  std::optional<Flaw> lost{};                 // flaw of a directory that the storage cannot list, by its name or not
};

// `name` is what the checkpoint was called by its trainer, `info` says what is at `path`. A file that goes away while
// it is looked at makes a checkpoint Incomplete (trainers delete old ones), one that may not be read Corrupt, and so
// does one that the storage has lost (Flaw::lost): of a directory without a list the name alone says what it is.
[[nodiscard]] runtime::Result<LookedAt> look_at_checkpoint(const VolumeFiles& files, const Layouts& layouts,
                                                           const std::filesystem::path& path, const std::string& name,
                                                           const FileInfo& info);

}  // namespace reprise::agent
