// The numbers in a name count steps, epochs, or the parts that ranks and shards are. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/names/name_words.h"

namespace reprise::agent {

struct NameNumber {
  enum class Counts {
    Steps,     // "step-100", "iter_0000100", "ba100"
    Epochs,    // "epoch=3", "ep3"
    Parts,     // "rank3", "shard-1", "00001-of-00004"
    Versions,  // "-v2", "version_0"
    Bare,      // "checkpoint-100", "100": a step, where no other number may be it
    Metric,    // "0.25"
    Programs,  // "run-1", "seed_42", "max_steps_1000" beside a step: tell trainings apart
    Unknown,   // "model-7"
  };
  Counts counts = Counts::Unknown;
  std::size_t begin = 0, end = 0;       // in the text
  std::optional<std::int64_t> value{};  // empty: beyond 63 bits
  std::size_t points = 0;               // in it: one in "0.25", three in "10.0.0.1"
  bool is_short = false;            // "1k", "9e2", "1,000": the value is of all of it; nothing where that is not clear
  Setting setting = Setting::None;  // names/name_words.h; in the name of a directory above a save it counts no steps
  bool may_be_size = false;         // perhaps the size of a model: "checkpoint-350M"
};

// The value of the digits; empty beyond 63 bits.
[[nodiscard]] std::optional<std::int64_t> value_of(std::string_view digits);

// The numbers of a name by itself, in their order: where another number counts steps, or a checkpoint's, those that a
// run has been set to are none of a save's. The size of a model counts nothing ("llama-3-8b", "gpt2-124M"). A number
// behind a point that follows another one is a part of that one, and so are what stands behind a count to shorten it
// and the commas between thousands.
[[nodiscard]] std::vector<NameNumber> numbers_in(std::string_view text);

// The letters in front of a number, in lower case; what stands between them counts nothing.
[[nodiscard]] std::string word_before(std::string_view text, std::size_t begin);

}  // namespace reprise::agent
