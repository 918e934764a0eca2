#include "controllers/placement/evaluation/trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "controllers/placement/evaluation/trace_table.h"

namespace reprise::controllers::placement {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kMostNodes = 100'000;
constexpr double kShortestTick = 1;  // seconds
constexpr double kLongestTick = 86'400;

runtime::Result<std::optional<double>> positive_header(std::string_view file, const TraceTable& table,
                                                       std::string_view key) {
  const auto header = table.headers.find(key);
  if (header == table.headers.end()) return std::nullopt;
  const std::string& text = header->second.value;
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(number) || number <= 0)
    return bad_line(file, header->second.line,
                    std::string(key) + ": found '" + text + "', must be a number greater than 0");
  return number;
}

runtime::Result<double> needed_header(std::string_view file, const TraceTable& table, std::string_view key) {
  auto number = positive_header(file, table, key);
  if (!number) return std::unexpected(number.error());
  if (!*number)
    return bad_line(file, table.zones_line, "no line '# " + std::string(key) + "=...' stands before this one");
  return **number;
}

// Read the wrong way round a trace gives figures that look plausible, so a file has to say which way it counts.
runtime::Result<void> counts_what_is_available(std::string_view file, const TraceTable& table) {
  const auto header = table.headers.find("value");
  const std::string remedy =
      "; a number must be the nodes that could be had, 0 meaning none (write '# value=nodes available')";
  if (header == table.headers.end())
    return bad_line(file, table.zones_line, "no line '# value=...' says what the numbers count" + remedy);
  std::string text = header->second.value;
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view word : {"preempt", "interrupt", "unavailable", "lost", "reclaim"}) {
    if (text.contains(word))
      return bad_line(file, header->second.line, "the numbers count '" + header->second.value + "'" + remedy);
  }
  for (const std::string_view word : {"available", "could be launched", "running", "launchable"}) {
    if (text.contains(word)) return {};
  }
  return bad_line(file, header->second.line,
                  "'" + header->second.value + "' does not say what the numbers count" + remedy);
}

}  // namespace

runtime::Result<Trace> read_trace(std::string_view file, std::string_view text) {
  auto table = read_trace_table(file, text);
  if (!table) return std::unexpected(std::move(table).error());
  const auto gap = needed_header(file, *table, "gap_seconds");
  if (!gap) return std::unexpected(gap.error());
  if (*gap < kShortestTick || *gap > kLongestTick)
    return bad_line(file, table->headers.find("gap_seconds")->second.line, "gap_seconds must be 1 to 86400");
  const auto nodes = needed_header(file, *table, "nodes_probed");
  if (!nodes) return std::unexpected(nodes.error());
  if (*nodes != std::floor(*nodes) || *nodes > kMostNodes)
    return bad_line(file, table->headers.find("nodes_probed")->second.line, "nodes_probed must be a whole number");
  const auto on_demand = positive_header(file, *table, "on_demand_usd_per_hour");
  if (!on_demand) return std::unexpected(on_demand.error());
  const auto spot = positive_header(file, *table, "spot_usd_per_hour");
  if (!spot) return std::unexpected(spot.error());
  if (auto right = counts_what_is_available(file, *table); !right) return std::unexpected(right.error());

  Trace trace{.file = std::string(file),
              .tick = *gap / kSecondsPerHour,
              .nodes_probed = static_cast<int>(*nodes),
              .on_demand_price = on_demand->value_or(0),
              .spot_price = spot->value_or(0)};
  for (const std::string& zone : table->zones) trace.zones.push_back({.name = zone});
  for (ZoneTrace& zone : trace.zones) zone.available.reserve(table->rows.size());
  for (std::size_t r = 0; r < table->rows.size(); ++r) {
    const auto& [line, numbers] = table->rows[r];
    if (numbers[0] != static_cast<double>(r))
      return bad_line(file, line,
                      "tick " + std::to_string(r) + " is missing; write -1 for a tick that nobody looked at");
    for (std::size_t z = 0; z < trace.zones.size(); ++z) {
      const double count = numbers[z + 1];
      if (count != std::floor(count) || count < kUnknown || count > *nodes)
        return bad_line(file, line,
                        "count for zone " + trace.zones[z].name + " must be whole, -1 (unknown) or 0 to " +
                            std::to_string(trace.nodes_probed) + " (nodes_probed)");
      trace.zones[z].available.push_back(static_cast<int>(count));
    }
  }
  return trace;
}

runtime::Result<Trace> with_prices(Trace trace, std::string_view file, std::string_view text) {
  const auto table = read_trace_table(file, text);
  if (!table) return std::unexpected(table.error());
  if (table->rows[0].numbers[0] != 0)
    return bad_line(file, table->rows[0].line, "the first row must be that of tick 0");
  const auto capacity = table->headers.find("capacity");
  const bool on_demand = capacity != table->headers.end() && capacity->second.value == "on-demand";
  if (capacity != table->headers.end() && !on_demand && capacity->second.value != "spot")
    return bad_line(file, capacity->second.line,
                    "capacity: found '" + capacity->second.value + "', must be spot or on-demand");
  for (std::size_t column = 0; column < table->zones.size(); ++column) {
    const auto zone = std::ranges::find(trace.zones, table->zones[column], &ZoneTrace::name);
    if (zone == trace.zones.end())
      return bad_line(file, table->zones_line, "zone " + table->zones[column] + " is not in " + trace.file);
    if (!on_demand) zone->prices.assign(zone->available.size(), 0);
    for (std::size_t r = 0; r < table->rows.size(); ++r) {
      const auto& row = table->rows[r];
      const double price = row.numbers[column + 1];
      if (price <= 0) return bad_line(file, row.line, "price for zone " + zone->name + " must be greater than 0");
      if (on_demand) {
        zone->on_demand_price = r == 0 ? price : zone->on_demand_price;
        continue;
      }
      const auto from = static_cast<std::size_t>(row.numbers[0]);
      if (from < zone->prices.size())
        std::fill(zone->prices.begin() + static_cast<std::ptrdiff_t>(from), zone->prices.end(), price);
    }
  }
  return trace;
}

runtime::Result<Trace> with_zones(Trace trace, const std::vector<std::string>& names) {
  std::vector<ZoneTrace> chosen;
  for (const std::string& name : names) {
    if (std::ranges::find(chosen, name, &ZoneTrace::name) != chosen.end())
      return runtime::fail(runtime::ErrorClass::Invalid, "zone '" + name + "' is named twice");
    const auto zone = std::ranges::find(trace.zones, name, &ZoneTrace::name);
    if (zone == trace.zones.end()) {
      std::string known;
      for (const ZoneTrace& other : trace.zones) known += (known.empty() ? "" : ", ") + other.name;
      return runtime::fail(runtime::ErrorClass::Invalid,
                           trace.file + " has no zone '" + name + "', must be one of " + known);
    }
    chosen.push_back(*zone);
  }
  trace.zones = std::move(chosen);
  return trace;
}

runtime::Result<Trace> joined(Trace all, Trace next) {
  if (all.tick != next.tick)
    return runtime::fail(runtime::ErrorClass::Invalid, next.file + " has another gap_seconds than " + all.file +
                                                           "; traces taken together must agree");
  for (Trace* trace : {&all, &next}) {
    for (ZoneTrace& zone : trace->zones) {
      if (zone.on_demand_price == 0) zone.on_demand_price = trace->on_demand_price;
      if (zone.prices.empty() && trace->spot_price > 0) zone.prices.assign(zone.available.size(), trace->spot_price);
    }
  }
  for (ZoneTrace& zone : next.zones) {
    if (std::ranges::find(all.zones, zone.name, &ZoneTrace::name) != all.zones.end())
      return runtime::fail(runtime::ErrorClass::Invalid,
                           "zone " + zone.name + " is in both " + all.file + " and " + next.file);
    all.zones.push_back(std::move(zone));
  }
  all.nodes_probed = std::min(all.nodes_probed, next.nodes_probed);
  all.on_demand_price = 0;
  all.spot_price = 0;
  all.file += ", " + next.file;
  return all;
}

Market market_of(const Trace& trace, const ZoneTrace& zone, int nodes) {
  Market market{.tick = trace.tick, .up = {}};
  market.up.reserve(zone.available.size());
  int last = 0;
  for (const int count : zone.available) {
    if (count != kUnknown) last = count;
    market.up.push_back(last >= nodes ? 1 : 0);
  }
  return market;
}

}  // namespace reprise::controllers::placement
