#include "apps/reprise/estimate/estimate_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>
#include <iterator>

#include "rehearsal/report/readable_json.h"

namespace reprise::apps {
namespace {

namespace placement = controllers::placement;

boost::json::value rounded(double value) {
  constexpr double digits = 1e4;
  return std::round(value * digits) / digits;
}

boost::json::object row_of(const placement::EstimateRow& row) {
  return {{"policy", placement::name(row.policy)},
          {"zone", row.zone},
          {"starts", row.starts},
          {"costMean", rounded(row.cost)},
          {"savingPercent", rounded(row.saving_percent)},
          {"gapClosed", row.gap_closed ? rounded(*row.gap_closed) : boost::json::value(nullptr)},
          {"deadlineMisses", row.deadline_misses},
          {"startsMean", rounded(row.starts_per_job)},
          {"spotHours", rounded(row.spot_hours)},
          {"onDemandHours", rounded(row.on_demand_hours)},
          {"idleHours", rounded(row.idle_hours)}};
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
  boost::json::array rows;
  for (const auto& row : estimate.rows) rows.push_back(row_of(row));
  return rehearsal::readable_json(rows);
}

}  // namespace reprise::apps
