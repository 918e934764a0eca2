#include "agent/check/print_checkpoints.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "agent/core/time_text.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;

Row row_of(const CheckedCheckpoint& each) {
  return {std::to_string(each.step),
          std::string(name(each.verdict)),
          each.format,
          std::to_string(each.bytes),
          time_text(each.time),
          each.path,
          each.reason};
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
    list.push_back({{"path", each.path},
                    {"step", each.step},
                    {"format", each.format},
                    {"bytes", each.bytes},
                    {"time", time_text(each.time)},
                    {"verdict", name(each.verdict)},
                    {"reason", each.reason}});
  return boost::json::serialize(list) + "\n";
}

}  // namespace reprise::agent
