#include "rehearsal/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rehearsal/report/words.h"

namespace reprise::rehearsal {
namespace {

std::string of(std::int64_t part, std::int64_t whole) {
  return count_text(part) + " of " + count_text(whole);
}

std::string save_note(const ReportSums& sums) {
  std::string note = sums.saved > 0 ? "slowest save " + duration_text(sums.slowest_save) : "";
  if (sums.unneeded > 0) note += (note.empty() ? "" : "; ") + count_text(sums.unneeded) + " had nothing new to save";
  return note;
}

std::string steps_note(const ReportSums& sums) {
  const std::string steps = count_text(sums.steps_lost, "step", "steps");
  if (sums.steps_unknown == 0) return steps;
  return sums.steps_lost > 0 ? "at least " + steps : "steps not known";
}

void add_interruptions(const ReportSums& sums, std::vector<Tile>& tiles) {
  if (sums.interruptions == 0) {
    tiles.push_back({.label = "Interruptions", .value = "none"});
    return;
  }
  tiles.push_back({.label = "Interruptions survived",
                   .value = of(sums.survived, sums.interruptions),
                   .judgement = true,
                   .good = sums.survived == sums.interruptions});
  tiles.push_back({.label = "Saved within the notice",
                   .value = of(sums.saved, sums.interruptions),
                   .note = save_note(sums),
                   .judgement = sums.unneeded < sums.interruptions,
                   .good = sums.saved + sums.unneeded == sums.interruptions});
  if (sums.median_way_back && sums.longest_way_back)
    tiles.push_back({.label = "Training again after",
                     .value = duration_text(*sums.median_way_back),
                     .note = "median; longest " + duration_text(*sums.longest_way_back)});
  const std::string steps = steps_note(sums);
  if (sums.training_lost.count() > 0)
    tiles.push_back({.label = "Training lost", .value = duration_text(sums.training_lost), .note = steps});
  else
    tiles.push_back({.label = "Training lost", .value = steps});
}

void add_cost(const RunReport& report, const ReportSums& sums, std::vector<Tile>& tiles) {
  if (!report.cost || !sums.percent_saved) return;
  const double percent = *sums.percent_saved;
  tiles.push_back({.label = percent >= 0 ? "Money saved" : "Dearer than on demand",
                   .value = fmt::format("{:.0f} %", std::abs(percent)),
                   .note = money_text(report.cost->spent) + ", on demand " + money_text(report.cost->on_demand)});
}

}  // namespace

ReportSums sums_of(const RunReport& report) {
  ReportSums sums;
  std::vector<runtime::Duration> ways_back;
  for (const ReportInterruption& interruption : report.interruptions) {
    ++sums.interruptions;
    if (interruption.saved) {
      ++sums.saved;
      sums.slowest_save = std::max(sums.slowest_save, interruption.save_took);
    }
    if (!interruption.saved && interruption.steps_lost == 0) ++sums.unneeded;
    sums.steps_lost += interruption.steps_lost.value_or(0);
    if (!interruption.steps_lost) ++sums.steps_unknown;
    sums.training_lost += interruption.training_lost;
    if (interruption.survived) ++sums.survived;
    if (!interruption.resumed_after) continue;
    ways_back.push_back(*interruption.resumed_after);
  }
  if (!ways_back.empty()) {
    std::sort(ways_back.begin(), ways_back.end());
    sums.median_way_back = ways_back[(ways_back.size() - 1) / 2];
    sums.longest_way_back = ways_back.back();
  }
  if (report.cost && report.cost->on_demand > 0)
    sums.percent_saved = 100 * (1 - report.cost->spent / report.cost->on_demand);
  return sums;
}

std::string verdict_of(const RunReport& report) {
  const auto count = static_cast<std::int64_t>(report.interruptions.size());
  if (!report.shown) return "Nothing was shown";
  if (!report.survived) return "Did not survive";
  if (count == 0) return "Ran without an interruption";
  if (const auto survived = sums_of(report).survived; survived < count)
    return "Survived " + of(survived, count) + " interruptions; the run ended before the rest";
  return count == 1 ? "Survived its interruption" : "Survived all " + count_text(count) + " interruptions";
}

std::vector<Tile> tiles_of(const RunReport& report) {
  const ReportSums sums = sums_of(report);
  std::vector<Tile> tiles;
  add_interruptions(sums, tiles);
  add_cost(report, sums, tiles);
  Tile length{.label = "Length of the run", .value = duration_text(report.length)};
  if (report.speed > 0 && report.speed != 1) {
    const runtime::Duration scaled(std::llround(static_cast<double>(report.length.count()) / report.speed));
    const runtime::Duration real = report.played.count() > 0 ? report.played : scaled;
    length.note = fmt::format("played in {}, {:.4g} times as fast", duration_text(real), report.speed);
  }
  tiles.push_back(length);
  for (const ReportFact& fact : report.facts) {
    if (!fact.headline) continue;
    tiles.push_back({.label = fact.label, .value = fact.value, .judgement = fact.judgement, .good = fact.good});
  }
  return tiles;
}

}  // namespace reprise::rehearsal
