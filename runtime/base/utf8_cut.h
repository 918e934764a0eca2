// Text cut to a number of bytes, between characters: half a UTF-8 sequence is no JSON, and reads back as another text.
#pragma once

#include <cstddef>
#include <string_view>

namespace reprise::runtime {

// The longest beginning of valid UTF-8 that has at most so many bytes.
[[nodiscard]] constexpr std::string_view utf8_cut(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace reprise::runtime
