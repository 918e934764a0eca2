// A line of a terminal with colours, never wider than the window.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reprise::rehearsal {

enum class Ink { Plain, Strong, Faint, Good, Bad, Busy, Warning };

class StyledLine {
 public:
  // `columns`: longer text is cut off. Without `colours` only text is written.
  StyledLine(std::size_t columns, bool colours) : columns_(columns), colours_(colours) {}

  // `text` must be printable().
  StyledLine& add(std::string_view text, Ink ink = Ink::Plain);
  // Spaces up to that column, at least one when there is something before.
  StyledLine& to(std::size_t column);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::size_t columns_;
  bool colours_;
  std::size_t width_ = 0;
  std::string text_;
};

}  // namespace reprise::rehearsal
