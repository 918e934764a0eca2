#include "apps/kubectl-reprise/terminal/table.h"

#include <algorithm>

namespace reprise::plugin {
namespace {

// Counts characters, not bytes: continuation bytes of UTF-8 take no column.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char each) { return (static_cast<unsigned char>(each) & 0xC0U) != 0x80U; }));
}

const std::string& shown(const std::string& cell) {
  static const std::string nothing = "-";
  return cell.empty() ? nothing : cell;
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const std::string& name : header) widths.push_back(columns_of(name));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(shown(row[i])));
  }
  std::string all;
  const auto add = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      all += shown(row[i]);
      if (i + 1 < row.size()) all.append(widths[i] - columns_of(shown(row[i])) + 3, ' ');
    }
    all += '\n';
  };
  add(header);
  for (const auto& row : rows) add(row);
  return all;
}

}  // namespace reprise::plugin
