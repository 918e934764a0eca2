// A directory that holds one array in the format zarr 3, as tensorstore writes it for Orbax (use_zarr3).
#pragma once

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/structure/flaw.h"
#include "agent/formats/structure/passed_files.h"

namespace reprise::agent {

// `zarr.json` can be read, and each piece that its regular grid calls for is there: tensorstore writes all of them, and
// Orbax restores no array that lacks one, whatever its fill value. A piece that is a shard has an index at its end
// whose places lie in the file; one packed by zstd ends with its last block; one that is not packed has the size of its
// values. Nothing is said of another grid, nor of pieces behind the first kMostZarrPieces. What has `passed` once is
// not read again.
[[nodiscard]] Flawed check_zarr3_array(const CheckpointContents& array, PassedFiles& passed);

}  // namespace reprise::agent
