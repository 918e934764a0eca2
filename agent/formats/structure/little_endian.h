// Numbers as zip and safetensors write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace reprise::agent {

// The unsigned number in the `width` bytes from `at` on; 0 where `bytes` ends before.
[[nodiscard]] constexpr std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t width) {
  if (at > bytes.size() || width > bytes.size() - at) return 0;
  std::uint64_t number = 0;
  for (std::size_t byte = width; byte-- > 0;) number = number << 8U | static_cast<unsigned char>(bytes[at + byte]);
  return number;
}

}  // namespace reprise::agent
