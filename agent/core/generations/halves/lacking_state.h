// State files of one save that the next one has not: those in a directory with a mark, and beside a single file. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/formats/checkpoint.h"

namespace reprise::agent {

using StateKinds = std::vector<StateFiles>;

// The kinds of `before`, but for copies and output, of which nothing is in `now` or fewer are. Names that count
// themselves tell how many there have to be. Where as many new kinds came as are missing the names were given anew
// ("a1b2.npy"), or one kind took another one's place ("model.bin", "model.safetensors"), unless a word says that it was
// of the state and others of `before` are there again.
[[nodiscard]] StateKinds lacking_state(const StateKinds& now, const StateKinds& before);

// True by the kind's words.
[[nodiscard]] bool is_of_state(const StateFiles& files);

// True if a word in the path says that ranks or shards write it ("rank0", "worker_1").
[[nodiscard]] bool say_ranks(const std::string& path);
[[nodiscard]] bool are_of_ranks(const StateFiles& files);

// True if by its words it is a copy, or output.
[[nodiscard]] bool never_has_to_be(const StateFiles& files);

// How many of that kind there are.
[[nodiscard]] std::int64_t count_of(const StateKinds& kinds, const std::string& kind);

// Text for people: one of them that is missing.
[[nodiscard]] const std::string& one_of(const StateFiles& lacking, const StateKinds& now);

}  // namespace reprise::agent
