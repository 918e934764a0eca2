// Zip archives, as torch.save writes them: .pt, .pth, .bin, .ckpt.
#pragma once

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// By its end record, its directory and the heads of its members; the members' bytes are not read (torch compares no
// sums either). A file that was cut off, whose tail is zero, or whose members do not fill it up is Corrupt.
[[nodiscard]] Flawed check_zip(const CheckedFile& file);

}  // namespace reprise::agent
