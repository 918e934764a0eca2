// The checkpoint volume as one agent sees it: where it is, how to write to it, how its checkpoints look.
// Shared by the threads that work on it; nothing here changes after construction.
#pragma once

#include <memory>

#include "agent/checkpoint_format.h"
#include "agent/checkpoint_scan.h"
#include "agent/volume_files.h"
#include "agent/volume_layout.h"

namespace reprise::agent {

struct Volume {
  Volume(std::filesystem::path root, std::unique_ptr<CheckpointFormat> its_format,
         std::unique_ptr<VolumeCalls> its_calls = std::make_unique<VolumeCalls>())
      : calls(std::move(its_calls)),
        files(*calls, root),
        layout{.root = std::move(root)},
        format(std::move(its_format)) {}

  [[nodiscard]] runtime::Result<Checkpoints> scan() const { return scan_checkpoints(files, *format, layout.root); }

  std::unique_ptr<VolumeCalls> calls;
  VolumeFiles files;
  VolumeLayout layout;
  std::unique_ptr<CheckpointFormat> format;
};

}  // namespace reprise::agent
