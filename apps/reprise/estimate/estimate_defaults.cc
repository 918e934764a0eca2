#include "apps/reprise/estimate/estimate_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <variant>

namespace reprise::apps {
namespace {

namespace fs = std::filesystem;
namespace placement = controllers::placement;

constexpr std::array kFolders = {"../share/reprise/traces", "../../../tests/data/traces"};

}  // namespace

std::optional<std::string> trace_file(const std::string& named, const fs::path& programs) {
  std::error_code ignored;
  if (fs::exists(named, ignored)) return named;
  if (fs::path(named).has_parent_path()) return std::nullopt;
  for (const char* folder : kFolders) {
    for (const std::string& file : {named, named + ".csv"}) {
      const fs::path candidate = (programs / folder / file).lexically_normal();
      if (fs::is_regular_file(candidate, ignored)) return candidate.string();
    }
  }
  return std::nullopt;
}

std::vector<std::string> trace_names(const fs::path& programs) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const char* folder : kFolders) {
    for (const auto& entry : fs::directory_iterator(programs / folder, ignored)) {
      const fs::path& file = entry.path();
      if (file.extension() == ".csv" && !file.stem().has_extension()) names.insert(file.stem().string());
    }
  }
  return {names.begin(), names.end()};
}

double usual_work(const placement::Trace& trace, const placement::EstimateRequest& request) {
  std::size_t ticks = 0;
  for (const placement::ZoneTrace& zone : trace.zones) ticks = std::max(ticks, zone.available.size());
  const auto* slowdown = std::get_if<placement::MaxSlowdown>(&request.goal);
  const double slack = slowdown != nullptr ? slowdown->factor : kUsualSlowdown;
  double most = trace.tick * static_cast<double>(ticks) / 2 / slack;
  if (const auto* deadline = std::get_if<placement::Deadline>(&request.goal))
    most = std::min(most, deadline->hours / kUsualSlowdown);
  // Rounds down to whole hours when there is at least one.
  return std::min(kUsualWork, most < 1 ? most : std::floor(most));
}

PricedTrace with_usual_spot_prices(placement::Trace trace, const placement::EstimateRequest& request) {
  std::set<std::string> prices;
  if (trace.spot_price > 0 || request.spot_price) return {.trace = std::move(trace), .note = {}};
  for (placement::ZoneTrace& zone : trace.zones) {
    if (!zone.prices.empty()) continue;
    const double own = zone.on_demand_price > 0 ? zone.on_demand_price : trace.on_demand_price;
    const double spot = request.on_demand_price.value_or(own) * placement::kUsualSpotShare;
    if (spot <= 0) continue;
    zone.prices.assign(zone.available.size(), spot);
    prices.insert(fmt::format("{:.4g}", spot));
  }
  if (prices.empty()) return {.trace = std::move(trace), .note = {}};
  std::string note = fmt::format(
      "{}: no price of spot, taken as {:.0f} % of on-demand: {} USD per node and hour; "
      "--spot-price or --prices say otherwise",
      trace.file, placement::kUsualSpotShare * 100, fmt::join(prices, ", "));
  return {.trace = std::move(trace), .note = std::move(note)};
}

}  // namespace reprise::apps
