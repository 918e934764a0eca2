#include "controllers/gpupool/usage/in_quotes.h"

namespace reprise::controllers::gpupool {

std::string in_quotes(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      const auto code = static_cast<std::size_t>(c);
      out += "\\u00";
      out += kDigits[code / 16];
      out += kDigits[code % 16];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace reprise::controllers::gpupool
