// How Megatron calls what it writes beside and in a checkpoint.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace reprise::agent {

inline constexpr std::string_view kIterationPrefix = "iter_";  // prefix of a directory, before the iteration
inline constexpr std::size_t kIterationDigits = 7;             // at least
inline constexpr std::string_view kIntegrityFile =
    "integrity.json";  // SHA-256 sums of the files, where it is asked for

[[nodiscard]] inline std::string zero_padded(std::string digits, std::size_t width) {
  return std::string(width - std::min(width, digits.size()), '0') + std::move(digits);
}

}  // namespace reprise::agent
