// Files that gzip has packed (RFC 1952).
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

[[nodiscard]] bool begins_as_gzip(std::string_view head);

inline constexpr std::uint64_t kMostUnpacked = std::uint64_t{16} << 20U;  // bytes of a file

// Unpacks it: Corrupt when it ends before its data does, or when the sums at the end of that are not right. Of a longer
// file, and of one that grows to more than a gigabyte, nothing is told: where the data ends only unpacking shows.
[[nodiscard]] Flawed check_gzip(const CheckedFile& file);

}  // namespace reprise::agent
