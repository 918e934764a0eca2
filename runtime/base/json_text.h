// Text as a JSON string, for log lines and for the writer of trees (json_tree.h).
#pragma once

#include <string>
#include <string_view>

namespace reprise::runtime {

// Writes the text with its quotes. Bytes from 0x80 on are taken for UTF-8 as they are.
void append_json_string(std::string& out, std::string_view text);
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace reprise::runtime
