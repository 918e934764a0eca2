// Small files that a trainer writes beside a checkpoint of one file, or beside its directory, under the same name:
// "step_1.json", "step_1.pt.sha256". They are of the generation, and go with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/generations/generation.h"
#include "agent/core/generations/surroundings.h"
#include "agent/core/run/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// True by the ending of the file's name.
[[nodiscard]] bool may_be_side_file(std::string_view file);

// True if a file is called as that checkpoint is, but for such an ending.
[[nodiscard]] bool is_called_as_side_of(std::string_view file, std::string_view checkpoint);

// The side files that were written with it: not long before it was complete, and before the next thing that happens to
// a checkpoint, an evaluation say. `found` tells when that was.
[[nodiscard]] runtime::Result<std::vector<std::string>> side_files_of(const Volume& volume,
                                                                      const Generation& generation,
                                                                      const Checkpoints& found,
                                                                      const Surroundings& around);

// The one of `sides`, which that generation has, that the newer ones have not by the same name. Empty: at least `keep`
// of them have all. For people.
[[nodiscard]] std::string lacking_side(const Generation& generation, const std::vector<std::string>& sides,
                                       const std::vector<Generation>& newer, std::int32_t keep,
                                       const Surroundings& around);

}  // namespace reprise::agent
