// Shared by every fuzz target: the entry point of libFuzzer and a check that is kept in every build type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace reprise::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the run when the invariant does not hold; libFuzzer keeps the input.
inline void invariant(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "broken invariant: " << what << '\n';
  std::abort();
}

}  // namespace reprise::fuzz
