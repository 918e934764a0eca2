// Files with a training's state in them, by their endings, that bear a number and no word for a checkpoint:
// "model_100.pt", "net_100.pth", "rl_model_1000_steps.zip". Whether the number is a step, nothing but what is in them
// tells. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace reprise::agent {

// The only number in such a name, where it stands by itself: not that of a rank, a version or a run, no fraction, and
// no part of a word ("resnet50.pt", "llama-7b.pt"). Of a path its last part. Nothing: there is none, or several.
[[nodiscard]] std::optional<std::int64_t> number_of_state(std::string_view file);

// Why such a file is not taken for a checkpoint, and what to do. Empty: it bears no such name.
[[nodiscard]] std::string_view why_numbered_is_none(std::string_view file);

// The same of a directory with such files in it, "model_100".
[[nodiscard]] std::string_view why_numbered_directory_is_none(std::string_view directory);

}  // namespace reprise::agent
