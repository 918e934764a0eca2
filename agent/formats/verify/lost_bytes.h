// A checkpoint of which the storage has lost bytes, as far as it says so.
#pragma once

#include <filesystem>

#include "agent/formats/search/look_at_checkpoint.h"
#include "agent/formats/structure/flaw.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// "weights.bin: cannot be read: Input/output error", of an error that says so (says_lost in volume_files.h).
[[nodiscard]] Flaw flaw_of_lost(const runtime::Error& error, const std::filesystem::path& checkpoint);

// Of a directory that cannot be listed, or of what cannot even be looked at: by its name alone. Without its path.
[[nodiscard]] FoundCheckpoint lost_checkpoint(const Layouts& layouts, const CheckpointContents& contents, Flaw flaw);

// What is lost is a flaw; any other error stays one.
[[nodiscard]] Flawed lost_is_flaw(Flawed flaw, const std::filesystem::path& checkpoint);

}  // namespace reprise::agent
