// A number for texts that is the same in every run and on every machine: FNV-1a, 64 bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace reprise::simulator {

class Digest {
 public:
  // Adds the text as if all texts were one.
  constexpr void add(std::string_view text) {
    for (const char each : text) value_ = (value_ ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  }
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace reprise::simulator
