#include "apps/reprise/estimate_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace reprise::apps {
namespace {

namespace placement = controllers::placement;

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

std::string estimate_table(const placement::Estimate& estimate) {
  std::size_t width = 4;
  for (const auto& row : estimate.rows) width = std::max(width, row.zone.size());
  std::string text =
      fmt::format("{:<10}  {:<{}}  {:>6}  {:>10}  {:>7}  {:>6}  {:>6}  {:>6}  {:>7}  {:>9}  {:>7}\n", "POLICY", "ZONE",
                  width, "JOBS", "COST $", "SAVING", "CLOSED", "MISSES", "STARTS", "SPOT H", "ON-DEM. H", "IDLE H");
  for (const auto& row : estimate.rows) {
    const std::string closed = row.gap_closed ? fmt::format("{:.2f}", *row.gap_closed) : "-";
    fmt::format_to(
        std::back_inserter(text),
        "{:<10}  {:<{}}  {:>6}  {:>10.2f}  {:>6.1f}%  {:>6}  {:>6}  {:>6.1f}  {:>7.1f}  {:>9.1f}  {:>7.1f}\n",
        placement::name(row.policy), row.zone, width, row.starts, row.cost, row.saving_percent, closed,
        row.deadline_misses, row.starts_per_job, row.spot_hours, row.on_demand_hours, row.idle_hours);
  }
  return text;
}

std::string estimate_json(const placement::Estimate& estimate) {
  std::string text = "[";
  for (const auto& row : estimate.rows) {
    const std::string closed = row.gap_closed ? fmt::format("{:.4f}", *row.gap_closed) : "null";
    fmt::format_to(std::back_inserter(text),
                   "{}\n  {{\"policy\": {}, \"zone\": {}, \"starts\": {}, \"costMean\": {:.4f}, \"savingPercent\": "
                   "{:.3f}, \"gapClosed\": {}, \"deadlineMisses\": {}, \"startsMean\": {:.3f}, \"spotHours\": {:.3f}, "
                   "\"onDemandHours\": {:.3f}, \"idleHours\": {:.3f}}}",
                   text.size() > 1 ? "," : "", in_quotes(placement::name(row.policy)), in_quotes(row.zone), row.starts,
                   row.cost, row.saving_percent, closed, row.deadline_misses, row.starts_per_job, row.spot_hours,
                   row.on_demand_hours, row.idle_hours);
  }
  return text + "\n]\n";
}

}  // namespace reprise::apps
