// Names on a volume are bytes; a record is read by others, as JSON, and must be UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace reprise::agent {

// Each byte that belongs to no character becomes a question mark.
[[nodiscard]] std::string as_utf8(std::string_view bytes);

}  // namespace reprise::agent
