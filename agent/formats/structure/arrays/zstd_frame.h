// A file that is one frame of Zstandard (RFC 8878), by the heads of its blocks alone.
#pragma once

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// Corrupt when it does not end where its last block does. What is in the blocks is not looked at, nor what lies behind
// the first kMostZstdBlocks of them.
[[nodiscard]] Flawed check_zstd_frame(const CheckedFile& file);

inline constexpr int kMostZstdBlocks = 65'536;  // blocks of 128 KiB at most, unpacked

}  // namespace reprise::agent
