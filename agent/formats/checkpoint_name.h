// The name of a directory or a file says this about a checkpoint; of a path its last part counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::agent {

// The last part of a path below the root, and the directory in which that lies; "" is the root.
[[nodiscard]] std::string_view last_part(std::string_view path);
[[nodiscard]] std::string_view directory_of(std::string_view path);

// The number that orders saves, read from the last part of the path alone (SaveName::order in name_numbers.h, which is
// its only reader): the number behind a word for steps, 120 for "step-120" and "step-120-v2", 900 for
// "epoch=3-step=900"; else, where several may be the step, the highest, 500 for "checkpoint_500_3"; never that of a
// rank, shard or part. A date with a time of day is one number (names/date_in_name.h). Nothing for names without such a
// number, with one beyond 63 bits, or that start with a dot.
[[nodiscard]] std::optional<std::int64_t> step_of(std::string_view name);

// True if the name alone says "checkpoint": a number and one of the usual words (step, checkpoint, ckpt, epoch, iter,
// save, snapshot), or nothing but a number. Only such directories are taken for torn checkpoints when they hold no
// marker: a user's "logs-2024" is left where it is.
[[nodiscard]] bool names_checkpoint(std::string_view name);

// The text that names of one kind have in common: "model-#" for "model-7" and "model-12".
[[nodiscard]] std::string naming_of(std::string_view name);

}  // namespace reprise::agent
