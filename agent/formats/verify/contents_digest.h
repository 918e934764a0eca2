// Tells whether a directory of the volume is unchanged, by the names, kinds, sizes and times of all that is in it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "agent/volume/volume_files.h"

namespace reprise::agent {

// More entries, or deeper ones, have no digest: to judge them again costs less than to be wrong.
inline constexpr std::size_t kMostDigested = 16'384;
inline constexpr int kDeepestDigested = 4;

// Links count as what they lead to. Nothing where something could not be asked for. Opens no file.
[[nodiscard]] std::optional<std::size_t> digest_of_contents(const VolumeFiles& files,
                                                            const std::filesystem::path& directory);

}  // namespace reprise::agent
