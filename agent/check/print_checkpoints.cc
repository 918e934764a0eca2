#include "agent/check/print_checkpoints.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "agent/core/record/time_text.h"
#include "agent/core/record/utf8.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;

// A name may hold any byte but two: none ends a line, or moves a terminal's cursor.
std::string in_one_line(std::string_view bytes) {
  std::string text = as_utf8(bytes);
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return text;
}

Row row_of(const CheckedCheckpoint& each) {
  return {std::to_string(each.step),
          std::string(name(each.verdict)),
          each.format,
          std::to_string(each.bytes),
          time_text(each.time),
          in_one_line(each.path),
          in_one_line(each.reason)};
}

}  // namespace

std::string as_table(const std::vector<CheckedCheckpoint>& found) {
  std::vector<Row> rows{{"STEP", "VERDICT", "FORMAT", "BYTES", "TIME", "PATH", "REASON"}};
  for (const auto& each : found) rows.push_back(row_of(each));
  std::array<std::size_t, kColumns> width{};
  for (const Row& row : rows)
    for (std::size_t at = 0; at < kColumns; ++at) width[at] = std::max(width[at], row[at].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t at = 0; at < kColumns; ++at) {
      line += row[at];
      if (at + 1 < kColumns) line.append(width[at] - row[at].size() + 3, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string as_json(const std::vector<CheckedCheckpoint>& found) {
  boost::json::array list;
  for (const auto& each : found)
    list.push_back({{"path", as_utf8(each.path)},
                    {"step", each.step},
                    {"format", each.format},
                    {"bytes", each.bytes},
                    {"time", time_text(each.time)},
                    {"verdict", name(each.verdict)},
                    {"reason", as_utf8(each.reason)}});
  return boost::json::serialize(list) + "\n";
}

}  // namespace reprise::agent
