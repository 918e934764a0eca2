// `model.safetensors.index.json` and its like: a JSON object whose `weight_map` says in which file each tensor lies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

inline constexpr std::string_view kSafetensorsIndex = "model.safetensors.index.json";

// Checks an index that is there: it can be read to its end, and every file that it names is there. The contents of
// those files are not looked at (check_all).
[[nodiscard]] Flawed check_weight_index(const CheckpointContents& contents, std::string_view index);

// The files that it names; none where it cannot be read.
[[nodiscard]] runtime::Result<std::vector<std::string>> files_in_weight_index(const CheckedFile& index);

}  // namespace reprise::agent
