// The names of small files beside checkpoints tell which of these may say which checkpoint is the newest, and by which
// of their numbers. Pure.
#pragma once

#include <string_view>

namespace reprise::agent {

// True if a file of that name may name a checkpoint at all. Logs, tables, programs and settings may speak of one, and
// no trainer goes by them.
[[nodiscard]] bool may_be_tracker(std::string_view file);

// "latest", "last_ckpt.txt", "latest.json": it is there to name the newest one, and says nothing else.
[[nodiscard]] bool is_called_newest(std::string_view file);

// The meaning of a number that stands in such a file.
enum class NumberSays {
  Step,     // the number of a checkpoint
  Epoch,    // the same, by its epoch
  Perhaps,  // the name tells neither this nor anything else
  Other,    // "seed.txt", "max_steps"
};
// The meaning of a number under no key, by the name of the file.
[[nodiscard]] NumberSays number_in(std::string_view file);
// The meaning of a number by the key under which it stands. `in_list`: it is one of several ("steps": [10, 20]).
[[nodiscard]] NumberSays number_under(std::string_view key, bool in_list);

}  // namespace reprise::agent
