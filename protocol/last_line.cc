#include "protocol/last_line.h"

#include <utility>

namespace reprise::protocol {
namespace {

// "\x1b[31m" and its like, and whatever else is not for reading.
std::string readable(std::string_view line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto byte = static_cast<unsigned char>(line[at]);
    if (byte == 0x1b && at + 1 < line.size() && line[at + 1] == '[') {
      at += 2;
      while (at < line.size() && (line[at] < '@' || line[at] > '~')) ++at;
    } else if (byte >= 0x20 && byte != 0x7f) {
      text += line[at];
    }
  }
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::string cut(std::string text) {
  if (text.size() <= kMaxLastLine) return text;
  constexpr std::string_view more = "...";
  std::size_t end = kMaxLastLine - more.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;  // no half character
  return text.substr(0, end).append(more);
}

}  // namespace

std::string last_line_of(std::string_view output) {
  std::string_view left = output;
  while (!left.empty()) {
    const std::size_t before = left.find_last_of("\r\n");
    std::string line = readable(before == std::string_view::npos ? left : left.substr(before + 1));
    if (!line.empty()) return cut(std::move(line));
    if (before == std::string_view::npos) break;
    left = left.substr(0, before);
  }
  return {};
}

}  // namespace reprise::protocol
