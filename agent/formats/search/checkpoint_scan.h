// Checkpoints that are directories directly in the root of the volume.
#pragma once

#include <filesystem>

#include "agent/formats/checkpoint.h"
#include "agent/formats/recognise/checkpoint_format.h"
#include "agent/volume/volume_files.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// All complete checkpoints, and those directories without a marker whose name says checkpoint; highest step first.
// Links are not followed. A volume that cannot be read is an error, never an empty list: "none" must be true.
[[nodiscard]] runtime::Result<Checkpoints> scan_checkpoints(const VolumeFiles& files, const CheckpointFormat& format,
                                                            const std::filesystem::path& root);

// Directories whose name says checkpoint and is not `known`: one call for all, and one for each of them.
[[nodiscard]] runtime::Result<Checkpoints> glance_at_checkpoints(const VolumeFiles& files,
                                                                 const std::filesystem::path& root,
                                                                 const CheckpointFormat::Known& known);

}  // namespace reprise::agent
