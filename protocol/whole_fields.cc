#include "protocol/whole_fields.h"

namespace reprise::protocol {

std::optional<std::string> up_to_last_whole_field(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || text[begin] != '{') return std::nullopt;
  std::size_t depth = 0, last_comma = std::string_view::npos;
  bool in_string = false;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\')
        ++at;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return std::nullopt;
    } else if (c == ',' && depth == 1) {
      last_comma = at;
    }
  }
  if (last_comma == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(begin, last_comma - begin)).append("}");
}

}  // namespace reprise::protocol
