// Counts as people write them short: "1k", "1.5M", "9e2", "1,000". Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace reprise::agent {

struct ShortNumber {
  std::optional<std::int64_t> value{};  // empty: it is short for something, and which number that is is not clear
  std::size_t end = 0;                  // in the text
};

// Reads the digits that begin at `begin`. Empty: they are a number as it stands.
[[nodiscard]] std::optional<ShortNumber> read_short_number(std::string_view text, std::size_t begin);

}  // namespace reprise::agent
