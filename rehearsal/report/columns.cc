#include "rehearsal/report/columns.h"

#include <algorithm>

namespace reprise::rehearsal {
namespace {

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string clipped(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t bytes = 0;
  for (std::size_t characters = 0; bytes < text.size(); ++bytes)
    if (begins_character(text[bytes]) && ++characters == width) break;
  return std::string(text.substr(0, bytes)) + "…";
}

std::string fitted(std::string_view text, std::size_t width) {
  std::string out = clipped(text, width);
  return out.append(width - width_of(out), ' ');
}

std::string Columns::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(layout_.indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i)
      if (widths[i] > 0) line += fitted(row[i], widths[i]) + std::string(layout_.gap, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace reprise::rehearsal
