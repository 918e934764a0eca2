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

// Most bytes of an unpacked record; the object read from it takes about four times as many.
inline constexpr std::size_t kLargestOcdbtText = std::size_t{16} << 20U;

// The record's text, unpacked.
[[nodiscard]] std::expected<std::string, OcdbtFlaw> unpack_ocdbt(std::string_view record, std::string_view magic);

}  // namespace reprise::agent
