// What the numbers in a path count: steps, epochs, or the parts that ranks and shards are. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::agent {

struct NameNumber {
  enum class Counts {
    Steps,     // "step-100", "iter_0000100", "ba100"
    Epochs,    // "epoch=3", "ep3"
    Parts,     // "rank3", "shard-1", "00001-of-00004"
    Versions,  // "-v2", "version_0"
    Bare,      // "checkpoint-100", "100": a step, where no other number may be it
    Metric,    // "0.25"
    Programs,  // "run-1", "seed_42": tell trainings apart
    Unknown,   // "model-7"
  };
  Counts counts = Counts::Unknown;
  std::size_t begin = 0, end = 0;       // in the text
  std::optional<std::int64_t> value{};  // nothing: beyond 63 bits
  std::size_t points = 0;               // in it: one in "0.25", three in "10.0.0.1"
  bool is_short = false;  // "1k", "9e2", "1,000": the value is of all of it; nothing where that is not clear
};

// Nothing beyond 63 bits.
[[nodiscard]] std::optional<std::int64_t> value_of(std::string_view digits);

// In their order. A number behind a point that follows another one is a part of that one, and so are what stands behind
// a count to shorten it and the commas between thousands.
[[nodiscard]] std::vector<NameNumber> numbers_in(std::string_view text);

// Which save a path is of, and which part of it: the one reader of names. All parts of one save have one step; what a
// trainer saves again and again in the same place has one `part`.
struct SaveName {
  // Nothing: no number is the step, or each of several may be. Only what has one is deleted by it.
  std::optional<std::int64_t> step{};
  // By the last part of the path alone, the number by which saves are ordered: where several may be the step the
  // highest one, and of unknown words that of the last. Nothing where it has no number but those of parts.
  std::optional<std::int64_t> order{};
  // The step, or where only numbers of the last part of the path may be it `order`: nothing is deleted by that.
  std::optional<std::int64_t> likely{};
  bool has_numbers = false;
  std::string
      part{};  // the path without the numbers of its step, of epochs, of versions of a file, and without metrics
  std::string kind{};  // and without those by which the directories of two attempts may differ: "version_0"
  // `part` without what tells programs and attempts apart ("run-1", "version_0"): of one save all of these are there
  // again in the next one. And that without the numbers of ranks and shards.
  std::string share{}, family{};
  // The path without the numbers of its step, of epochs, of ranks and shards: what one trainer saves again and again.
  std::string place{};
  std::string place_of_rank{};  // the same with the numbers of ranks
};
[[nodiscard]] SaveName read_save_name(std::string_view path);

// Whether a number in the path says that it is of that step, by a word for steps. `beside`: a checkpoint of that step
// lies in the same directory, so that a number of the name without such a word may say it too.
[[nodiscard]] bool may_be_of_step(std::string_view path, std::int64_t step, bool beside);

}  // namespace reprise::agent
