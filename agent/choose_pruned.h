// Which checkpoints may go: a pure decision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/checkpoint.h"

namespace reprise::agent {

struct PruneQuestion {
  Checkpoints found{};                         // newest first
  std::optional<std::int64_t> durable_step{};  // newest step for which syncfs has returned
  std::optional<std::int64_t> resumed_from{};
  bool gang = false;  // other ranks resume from it too, maybe much later
  std::int32_t keep = 2;
};

// Keeps the newest `keep` complete ones that are durable; everything newer than the durable step; everything
// incomplete; the one resumed from until a newer one is durable, in a gang as long as the attempt lasts: nothing tells
// when the last rank's trainer has read it.
[[nodiscard]] std::vector<std::string> choose_pruned(const PruneQuestion& question);

}  // namespace reprise::agent
