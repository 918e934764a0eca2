// What the name of a directory says about a checkpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::agent {

// The last whole number in the name: 120 for "step-120", 900 for "epoch=3-step=900". Nothing for names without a
// number, with one beyond 63 bits, or that start with a dot.
[[nodiscard]] std::optional<std::int64_t> step_of(std::string_view name);

// Whether the name alone says "checkpoint": a number and one of the usual words (step, checkpoint, ckpt, epoch, iter,
// save, snapshot), or nothing but a number. Only such directories are taken for torn checkpoints when they hold no
// marker: a user's "logs-2024" is left where it is.
[[nodiscard]] bool names_checkpoint(std::string_view name);

}  // namespace reprise::agent
