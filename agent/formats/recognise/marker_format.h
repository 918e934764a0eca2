// The generic contract for own trainers: everything of a checkpoint is written first, an empty file last whose name
// says that all is there: _COMPLETE, .complete or _SUCCESS.
#pragma once

#include "agent/formats/recognise/checkpoint_format.h"

namespace reprise::agent {

class MarkerFormat final : public CheckpointFormat {
 public:
  // Directories directly in the root.
  [[nodiscard]] runtime::Result<Checkpoints> discover(const VolumeFiles& files, const Path& root) const override;
  [[nodiscard]] runtime::Result<Checkpoints> glance(const VolumeFiles& files, const Path& root,
                                                    const Known& known) const override;
  [[nodiscard]] runtime::Result<std::optional<runtime::WallTime>> completed(const VolumeFiles& files,
                                                                            const Path& checkpoint) const override;
  [[nodiscard]] runtime::Result<void> invalidate(const VolumeFiles& files, const Path& checkpoint) const override;
};

}  // namespace reprise::agent
