// Recorded spot capacity: per zone, per tick, how many nodes could be had.
//
// The format (text):
//   # key=value              needed: gap_seconds (length of a tick), nodes_probed, value (says what the numbers count);
//                            known: on_demand_usd_per_hour, spot_usd_per_hour; others are ignored
//   tick,<zone>,<zone>,...
//   0,<count>,...            nodes AVAILABLE in that tick, 0..nodes_probed; -1: nobody looked
// A file of prices has the same columns with USD per node and hour; each row stands until the next one. With the line
// "# capacity=on-demand" it holds on-demand prices, of which the first row counts; otherwise spot prices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/placement/evaluation/market.h"
#include "runtime/base/error.h"

namespace reprise::controllers::placement {

struct ZoneTrace {
  std::string name;
  std::vector<int> available;  // kUnknown where nobody looked
  std::vector<double> prices;  // spot's, per tick, USD per node and hour; empty: the trace has none for the zone
  double on_demand_price = 0;  // 0: that of the trace
};

constexpr int kUnknown = -1;

// The share of the on-demand price that spot costs where nobody knows it: the middle of dev/instance-types.csv.
constexpr double kUsualSpotShare = 0.4;

struct Trace {
  std::string file;
  double tick = 0;  // hours
  int nodes_probed = 0;
  double on_demand_price = 0;  // USD per node and hour; 0: not told
  double spot_price = 0;
  std::vector<ZoneTrace> zones;
};

// `file` is what errors call it, with the line: "a.csv:12: ...". Everything that would make figures wrong in silence is
// an error: numbers that count what was lost instead of what was there, ticks that are missing, repeated or out of
// order, counts beyond what was probed, anything that is no number.
[[nodiscard]] runtime::Result<Trace> read_trace(std::string_view file, std::string_view text);

// Prices for the zones of `trace`; a zone that the trace lacks is an error.
[[nodiscard]] runtime::Result<Trace> with_prices(Trace trace, std::string_view file, std::string_view text);

// The trace with these zones only, in this order.
[[nodiscard]] runtime::Result<Trace> with_zones(Trace trace, const std::vector<std::string>& names);

// All zones of both, each with the prices of its own file. Traces of different ticks, or of the same zone, do not go
// together.
[[nodiscard]] runtime::Result<Trace> joined(Trace all, Trace next);

// The market of a gang of `nodes`: up where all of them could be had. A tick that nobody looked at counts as the one
// before; before the first look spot counts as down.
[[nodiscard]] Market market_of(const Trace& trace, const ZoneTrace& zone, int nodes);

}  // namespace reprise::controllers::placement
