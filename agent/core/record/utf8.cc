#include "agent/core/record/utf8.h"

#include <algorithm>

namespace reprise::agent {
namespace {

// A byte of a character that is not its first.
bool goes_on(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The length of the character at the beginning; 0: there is none.
std::size_t length_of_first(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at)
    if (!goes_on(text[at])) return 0;
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool no_code_point = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || no_code_point ? 0 : length;
}

}  // namespace

std::string as_utf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = length_of_first(bytes);
    if (length == 0)
      text += '?';
    else
      text += bytes.substr(0, length);
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

void cut(std::string& text, std::size_t size) {
  if (text.size() <= size) return;
  while (size > 0 && goes_on(text[size])) --size;
  text.resize(size);
}

void keep_end(std::string& text, std::size_t size) {
  std::size_t at = text.size() - std::min(size, text.size());
  while (at < text.size() && goes_on(text[at])) ++at;
  text.erase(0, at);
}

}  // namespace reprise::agent
