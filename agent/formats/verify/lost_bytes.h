// A checkpoint of which the storage has lost bytes, as far as it says so.
#pragma once

#include <filesystem>

#include "agent/formats/search/look_at_checkpoint.h"
#include "agent/formats/structure/flaw.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// "weights.bin: cannot be read: Input/output error", of an error that says so (says_lost in volume_files.h).
[[nodiscard]] Flaw flaw_of_lost(const runtime::Error& error, const std::filesystem::path& checkpoint);

// A checkpoint whose directory cannot be listed, or that cannot even be looked at: judged by its name alone. Without
// its path.
[[nodiscard]] FoundCheckpoint lost_checkpoint(const Layouts& layouts, const CheckpointContents& contents, Flaw flaw);

// Makes lost bytes a flaw; any other error stays one.
[[nodiscard]] Flawed lost_is_flaw(Flawed flaw, const std::filesystem::path& checkpoint);

}  // namespace reprise::agent
