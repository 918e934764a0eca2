// Files with a training's state in them, by their endings, that bear a number and no word for a checkpoint:
// "model_100.pt", "net_100.pth", "rl_model_1000_steps.zip". Whether the number is a step, nothing but what is in them
// tells. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace reprise::agent {

// The only number in such a name, where it stands by itself: not that of a rank, a version or a run, no fraction, and
// no part of a word ("resnet50.pt", "llama-7b.pt"). Of a path its last part. Empty: there is none, or several.
[[nodiscard]] std::optional<std::int64_t> number_of_state(std::string_view file);

// Says why such a file is not taken for a checkpoint, and what to do. Empty: it bears no such name.
[[nodiscard]] std::string_view why_numbered_is_none(std::string_view file);

// The same of a directory with such files in it, "model_100".
[[nodiscard]] std::string_view why_numbered_directory_is_none(std::string_view directory);

// "ckpt.pt", "foo.pth", "model.safetensors", "checkpoint.tar", "last.pt.zst": a file that may hold a training's state,
// and has no step in its name.
[[nodiscard]] bool is_stepless_state(std::string_view file);

// The reason why a file is no checkpoint though a word says that it is no mere model ("ckpt.pt", "last.pt",
// "training_state.bin").
[[nodiscard]] std::string_view why_stepless_is_none(std::string_view file);

// The same of a directory without a step in its name: `any_ends` tells whether a name in it ends so.
[[nodiscard]] std::string_view why_stepless_directory_is_none(const std::function<bool(std::string_view)>& any_ends);

}  // namespace reprise::agent
