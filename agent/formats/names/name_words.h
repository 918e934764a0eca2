// A name cut into its words and numbers: "global_step20-tmp" is "global", "step", "20" and "tmp".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::agent {

struct NamePart {
  std::string text;  // in lower case
  bool is_number = false;
  std::size_t begin = 0;  // in the name
  bool operator==(const NamePart&) const = default;
};

[[nodiscard]] std::vector<NamePart> parts_of_name(std::string_view name);

// Without the endings of files that hold a training's state: "epoch=1-step=5" of "epoch=1-step=5.ckpt".
[[nodiscard]] std::string_view without_file_ending(std::string_view name);

// "step", "epoch", "ckpt" and the like: a name of such words and of numbers says nothing but which checkpoint it is.
[[nodiscard]] bool is_word_for_checkpoint(std::string_view word);

// "last.pth.tar", "checkpoint_latest.pt", "recovery-9-12.pth.tar": a file that is written anew again and again, with a
// training's state in it perhaps, while numbered ones come by a metric.
[[nodiscard]] bool names_rolling_file(std::string_view name);

}  // namespace reprise::agent
