// Text in columns, as wide as their content. Widths count characters, not bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::rehearsal {

// How many characters valid UTF-8 has. None of those that the report writes is wider than one cell.
[[nodiscard]] std::size_t width_of(std::string_view text);
// At most `width` characters, the last one "…" when something was cut off.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t width);
// Exactly `width` characters: clipped() or filled up with spaces.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width);

class Columns {
 public:
  struct Layout {
    std::size_t gap = 2, indent = 0;
  };

  explicit Columns(Layout layout) : layout_(layout) {}
  // Cells that no row fills take no room.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // A line per row, without spaces at its end.
  [[nodiscard]] std::string text() const;

 private:
  Layout layout_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace reprise::rehearsal
