// Files with a training's state in a directory that a library's rules make complete, and that are none of its own: a
// callback writes them, and only what the saves before had tells that they belong to it.
#pragma once

#include <string_view>

#include "agent/formats/checkpoint.h"
#include "agent/formats/layouts/checkpoint_contents.h"

namespace reprise::agent {

// By names below the checkpoint. `layout`: that has taken it; what Marker, Manifest and Plain take is compared whole
// (Judgement::state). What is torn is not there.
[[nodiscard]] runtime::Result<HeldPieces> extra_files_in(const CheckpointContents& contents, std::string_view layout);

}  // namespace reprise::agent
