// Reads from a path's numbers, and from what they count, which save it belongs to. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/formats/names/numbers.h"

namespace reprise::agent {

// The save to which a path belongs, and its part of that save: the one reader of names. All parts of one save have one
// step; the files that a trainer saves again and again in the same place have one `part`.
struct SaveName {
  // Empty: no number is the step, or each of several may be. Only a path with a step is deleted by it.
  std::optional<std::int64_t> step{};
  // The number that orders saves, by the last part of the path alone: where several may be the step the highest one,
  // and of unknown words that of the last. Empty where it has no number but those of parts.
  std::optional<std::int64_t> order{};
  // The step, or where only numbers of the last part of the path may be it `order`: nothing is deleted by that.
  std::optional<std::int64_t> likely{};
  bool is_epoch = false;  // says of `order`: it is not to be held against a step
  bool has_numbers = false;
  std::string
      part{};  // the path without the numbers of its step, of epochs, of versions of a file, and without metrics
  std::string kind{};  // and without those by which the directories of two attempts may differ: "version_0"
  // `kind` with what a run has been set to: no save of "lr_0.1/" stands for the last one of "lr_0.01/".
  std::string series{};
  // `part` without what tells programs and attempts apart ("run-1", "version_0"): of one save all of these are there
  // again in the next one. And that without the numbers of ranks and shards.
  std::string share{}, family{};
  // The path without the numbers of its step, of epochs, of ranks and shards: what one trainer saves again and again.
  std::string place{};
  std::string place_of_rank{};  // the same with the numbers of ranks
};
[[nodiscard]] SaveName read_save_name(std::string_view path);

// True if a number in the path says that it is of that step, by a word for steps. `beside`: a checkpoint of that step
// lies in the same directory, so that a number of the name without such a word may say it too.
[[nodiscard]] bool may_be_of_step(std::string_view path, std::int64_t step, bool beside);

}  // namespace reprise::agent
