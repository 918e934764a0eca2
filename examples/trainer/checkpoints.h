// Checkpoints of the example: step-<n>/state.bin (all bits of every double) and then, last, step-<n>/_COMPLETE.
#pragma once

#include <optional>
#include <string>

#include "examples/trainer/model.h"

namespace reprise::example {

// True if all of it is on the disk.
[[nodiscard]] bool save(const Model& model, const std::string& directory);
[[nodiscard]] std::optional<Model> load(const std::string& checkpoint);
// The result of the training: final/weights.txt, one hexadecimal double a line.
[[nodiscard]] bool save_result(const Model& model, const std::string& directory);

}  // namespace reprise::example
