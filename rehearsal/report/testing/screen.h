// A terminal for tests: understands what the live view writes, and nothing else.
#pragma once

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::rehearsal::testing {

class Screen {
 public:
  Screen(std::size_t columns, std::size_t rows) : columns_(columns), rows_(rows), lines_(rows) {}

  void write(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      if (text.substr(at, 2) == "\033[") {
        std::size_t end = at + 2;
        while (std::isalpha(static_cast<unsigned char>(text.at(end))) == 0) ++end;
        command(text.substr(at + 2, end - at - 2), text[end]);
        at = end + 1;
        continue;
      }
      std::size_t end = at + 1;
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) ++end;
      character(text.substr(at, end - at));
      at = end;
    }
  }

  // The lines scrolled off the top, then those shown, without empty lines at the end.
  [[nodiscard]] std::string all() const {
    std::string text = scrolled_;
    for (const auto& line : lines_) text += joined(line) + "\n";
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
  }
  [[nodiscard]] bool cursor_visible() const { return visible_; }
  [[nodiscard]] const std::string& scrolled() const { return scrolled_; }

 private:
  using Line = std::vector<std::string>;

  static std::string joined(const Line& line) {
    std::string text;
    for (const std::string& cell : line) text += cell;
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  void character(std::string_view cell) {
    if (cell == "\r") {
      column_ = 0;
    } else if (cell == "\n") {
      column_ = 0;
      down();
    } else {
      if (column_ == columns_) throw std::runtime_error("a line is wider than the window");
      Line& line = lines_[row_];
      if (line.size() <= column_) line.resize(column_ + 1, " ");
      line[column_++] = cell;
    }
  }

  void down() {
    if (++row_ < rows_) return;
    scrolled_ += joined(lines_.front()) + "\n";
    lines_.erase(lines_.begin());
    lines_.emplace_back();
    row_ = rows_ - 1;
  }

  void command(std::string_view arguments, char what) {
    if (what == 'm') return;
    if (arguments == "?25") {
      visible_ = what == 'h';
    } else if (what == 'A') {
      const auto count = static_cast<std::size_t>(std::stoi(std::string(arguments)));
      if (count > row_) throw std::runtime_error("goes above the window");
      row_ -= count;
    } else if (what == 'K') {
      if (lines_[row_].size() > column_) lines_[row_].resize(column_);
    } else if (what == 'J') {
      lines_[row_].resize(arguments == "2" ? 0 : std::min(lines_[row_].size(), column_));
      for (std::size_t row = arguments == "2" ? 0 : row_ + 1; row < rows_; ++row) lines_[row].clear();
    } else if (what == 'H') {
      row_ = column_ = 0;
    } else {
      throw std::runtime_error("unknown command " + std::string(arguments) + what);
    }
  }

  std::size_t columns_, rows_, row_ = 0, column_ = 0;
  std::vector<Line> lines_;
  std::string scrolled_;
  bool visible_ = true;
};

}  // namespace reprise::rehearsal::testing
