// Names on a volume are bytes; a record is read by others, as JSON, and must be UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reprise::agent {

// Each byte that belongs to no character becomes a question mark.
[[nodiscard]] std::string as_utf8(std::string_view bytes);

// Cuts `text` to at most `size` bytes and never inside a UTF-8 character.
void cut(std::string& text, std::size_t size);
// The same, from the beginning.
void keep_end(std::string& text, std::size_t size);

}  // namespace reprise::agent
