// The shape that all trace files share: header lines, column names, rows of numbers; with the place of every error.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"

namespace reprise::controllers::placement {

struct TraceTable {
  struct Header {
    std::string value;
    std::size_t line = 0;
  };
  struct Row {
    std::size_t line = 0;
    std::vector<double> numbers;  // the tick first, then one per zone
  };
  std::map<std::string, Header, std::less<>> headers;
  std::vector<std::string> zones;
  std::size_t zones_line = 0;
  std::vector<Row> rows;  // at least one; ticks are whole and ascending
};

[[nodiscard]] std::unexpected<runtime::Error> bad_line(std::string_view file, std::size_t line, std::string_view what);

[[nodiscard]] runtime::Result<TraceTable> read_trace_table(std::string_view file, std::string_view text);

}  // namespace reprise::controllers::placement
