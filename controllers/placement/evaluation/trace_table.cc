#include "controllers/placement/evaluation/trace_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace reprise::controllers::placement {
namespace {

constexpr std::string_view kBlank = " \t\r";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr double kMostTicks = 1e8;
constexpr std::size_t kShown = 60;  // characters of a wrong word that an error repeats

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

// Finite numbers only: NaN and infinity are words that from_chars would take.
bool to_number(std::string_view text, double& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() && std::isfinite(number);
}

// The error of a line; empty if it was added to the table.
using Wrong = std::optional<std::string>;

Wrong add_header(TraceTable& table, std::size_t number, std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;  // a comment
  const std::string key(trimmed(line.substr(1, equals - 1)));
  const std::string value(trimmed(line.substr(equals + 1)));
  const auto [known, added] = table.headers.try_emplace(key, TraceTable::Header{value, number});
  if (added || known->second.value == value) return std::nullopt;
  return key.substr(0, kShown) + " is '" + value.substr(0, kShown) + "' here and '" +
         known->second.value.substr(0, kShown) + "' in line " + std::to_string(known->second.line);
}

Wrong add_zones(TraceTable& table, std::size_t number, std::string_view line) {
  const auto cells = cells_of(line);
  if (cells[0] != "tick" || cells.size() < 2)
    return "found '" + std::string(line.substr(0, kShown)) + "', must be tick,<zone>,<zone>,...";
  std::set<std::string_view> seen;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (!std::ranges::all_of(cells[i], [](char c) { return c > ' ' && c < 0x7f; }))
      return "the name of zone " + std::to_string(i) + " must be printable ASCII without blanks";
    if (cells[i].empty()) return "column " + std::to_string(i + 1) + " has no zone name";
    if (!seen.insert(cells[i]).second) return "zone " + std::string(cells[i]) + " appears twice";
    table.zones.emplace_back(cells[i]);
  }
  table.zones_line = number;
  return std::nullopt;
}

Wrong add_row(TraceTable& table, std::size_t number, std::string_view line) {
  const auto cells = cells_of(line);
  if (cells.size() != table.zones.size() + 1)
    return "found " + std::to_string(cells.size()) + " columns, must be " + std::to_string(table.zones.size() + 1) +
           " as in line " + std::to_string(table.zones_line);
  TraceTable::Row row{.line = number, .numbers = std::vector<double>(cells.size())};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (to_number(cells[i], row.numbers[i])) continue;
    return "found '" + std::string(cells[i].substr(0, kShown)) + "' for " +
           (i == 0 ? std::string("tick") : table.zones[i - 1]) + ", must be a number";
  }
  const double tick = row.numbers[0];
  if (tick < 0 || tick != std::floor(tick) || tick > kMostTicks)
    return "found tick " + std::string(cells[0]) + ", must be a whole number from 0";
  if (!table.rows.empty() && tick <= table.rows.back().numbers[0])
    return "tick " + std::string(cells[0]) + " does not come after the tick of the row before";
  table.rows.push_back(std::move(row));
  return std::nullopt;
}

}  // namespace

std::unexpected<runtime::Error> bad_line(std::string_view file, std::size_t line, std::string_view what) {
  return runtime::fail(runtime::ErrorClass::Invalid,
                       std::string(file) + ":" + std::to_string(line) + ": " + std::string(what));
}

runtime::Result<TraceTable> read_trace_table(std::string_view file, std::string_view text) {
  TraceTable table;
  std::size_t number = 0;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    const auto add = line.starts_with('#') ? add_header : table.zones.empty() ? add_zones : add_row;
    if (const Wrong wrong = add(table, number, line)) return bad_line(file, number, *wrong);
  }
  if (table.zones.empty())
    return bad_line(file, std::max<std::size_t>(number, 1), "the file is empty: no line tick,<zone>,...");
  if (table.rows.empty()) return bad_line(file, number, "no row follows the names of the zones");
  return table;
}

}  // namespace reprise::controllers::placement
