// How OCDBT packs a record (ocdbt.h): a magic number, its length, what is said, CRC-32C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace reprise::agent {

enum class OcdbtFlaw {
  CutOff,       // another length than it says, or another sum
  Unreadable,   // the sum is right, what it says is no such record
  NotFollowed,  // larger than kLargestOcdbtText, or of a kind that is not known here: nothing is said against it
};

inline constexpr std::uint64_t kOcdbtZstd = 1;  // how it is packed; 0: not

// What is unpacked takes so many bytes at most; what was read of it about four times as much.
inline constexpr std::size_t kLargestOcdbtText = std::size_t{16} << 20U;

// What it says, unpacked.
[[nodiscard]] std::expected<std::string, OcdbtFlaw> unpack_ocdbt(std::string_view record, std::string_view magic);

}  // namespace reprise::agent
