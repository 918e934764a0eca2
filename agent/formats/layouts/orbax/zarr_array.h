// A directory that holds one array in the format zarr 2, as tensorstore writes it for Orbax, or in zarr 3
// (zarr3_array.h).
#pragma once

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/structure/flaw.h"
#include "agent/formats/structure/passed_files.h"

namespace reprise::agent {

// `.zarray` can be read, and each piece that it calls for is there and as long as it says itself. Of an array
// of zarr 2 with a value for what is missing nothing is said of pieces; nor of those behind the first kMostZarrPieces.
// What has `passed` once is not read again.
[[nodiscard]] Flawed check_zarr_array(const CheckpointContents& array, PassedFiles& passed);

inline constexpr std::size_t kMostZarrPieces = 65'536;

}  // namespace reprise::agent
