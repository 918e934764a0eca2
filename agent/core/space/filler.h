// Bytes that a file system can neither compress nor leave out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace reprise::agent {

[[nodiscard]] inline std::string filler(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint64_t state = 1;
  for (char& each : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    each = static_cast<char>(state >> 56U);
  }
  return bytes;
}

}  // namespace reprise::agent
