// SHA-256 (FIPS 180-4) of bytes as they come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace reprise::agent {

class Sha256 {
 public:
  void add(std::string_view bytes);
  // In lower-case hex; nothing can be added after it.
  [[nodiscard]] std::string hex();

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> waiting_{};
  std::size_t count_ = 0;     // of waiting bytes
  std::uint64_t length_ = 0;  // of all
};

}  // namespace reprise::agent
