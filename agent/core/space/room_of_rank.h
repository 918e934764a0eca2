// Room for the record of one rank on a volume that its trainer fills to the last byte: a small file that becomes the
// record then, so that neither a block nor an inode has to be found.
#pragma once

#include <string_view>

#include "agent/core/run/identity.h"
#include "agent/volume/volume_files.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {

// Once the heartbeat is there. Not on object stores, where each byte may have to be paid for.
void keep_room(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self);
[[nodiscard]] runtime::Result<void> write_into_room(const VolumeFiles& files, const VolumeLayout& layout,
                                                    const Identity& self, std::string_view record);
// After the record is written: nothing of it stays behind an attempt.
void give_up_room(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self);

// Gives up the room of killed ranks of other attempts: after these have ended or fallen silent.
void give_up_former_room(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self);

}  // namespace reprise::agent
