// A pickle that is too large to be read as a whole, as a smaller one that holds the same things in the same places:
// long texts and bytes are empty in it, and long lists of numbers have fewer (a replay buffer, a sampler's
// permutation).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/formats/structure/checked_file.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// Empty: the bytes are no pickle, end before it does, are too many to be read, or would be more than `most` all the
// same. Long texts are passed over without being read.
[[nodiscard]] runtime::Result<std::optional<std::string>> thin_pickle(const CheckedFile& pickle, std::uint64_t most);

// Tells if the bytes go on to where the pickle at their begin ends. NotKnown: they are no such pickle, or too many to
// be read. Bytes behind the pickle do not matter.
struct PickleEnd {
  enum class Is { Reached, CutOff, NotKnown };
  Is is = Is::NotKnown;
  std::uint64_t at = 0;  // once it is reached
};
[[nodiscard]] runtime::Result<PickleEnd> find_pickle_end(const CheckedFile& pickle, std::uint64_t most);

}  // namespace reprise::agent
