// A directory with an OCDBT store (structure/ocdbt.h), in which Orbax keeps arrays.
#pragma once

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

inline constexpr std::string_view kOcdbtManifest = "manifest.ocdbt";

// Follows the tree of its newest version: manifest and nodes have their length and their sum, and each file that values
// are read from is there and reaches to the end of the last of them. Files that nothing refers to do not matter. What
// the values are is not looked at, and of a tree beyond kMostOcdbtBytes or kMostOcdbtNodes, or with records that
// structure/ocdbt_record.h does not follow, no more than that.
[[nodiscard]] Flawed check_ocdbt_store(const CheckpointContents& store);

// Most bytes of unpacked nodes, together, and most nodes.
inline constexpr std::uint64_t kMostOcdbtBytes = std::uint64_t{256} << 20U;
inline constexpr std::size_t kMostOcdbtNodes = 65'536;

}  // namespace reprise::agent
