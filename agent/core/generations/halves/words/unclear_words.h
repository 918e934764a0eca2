// Saves by a number behind a word that nobody knows: "model_400" and "optim_400", "G_300.pth" and "D_300.pth". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace reprise::agent {

// The only number of the last part of a path, but for those of ranks and shards, where no other one may be the step.
// Saves are held against each other by it; nothing is deleted or moved by it.
[[nodiscard]] std::optional<std::int64_t> number_of_unknown_word(const std::string& name);

}  // namespace reprise::agent
