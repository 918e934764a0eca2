// Columns as kubectl prints them: each as wide as its longest cell, three blanks between.
#pragma once

#include <string>
#include <vector>

namespace reprise::plugin {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // as long as the header; empty cells are shown as "-"
  [[nodiscard]] std::string text() const;
};

}  // namespace reprise::plugin
