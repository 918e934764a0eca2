#include "rehearsal/report/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "rehearsal/report/columns.h"
#include "rehearsal/report/escape.h"
#include "rehearsal/report/summary.h"
#include "rehearsal/report/words.h"

namespace reprise::rehearsal {
namespace {

constexpr std::size_t kMostRows = 200;

std::string sign_of(bool judgement, bool good) {
  if (!judgement) return "";
  return good ? "ok" : "NO";
}

std::string figures(const RunReport& report) {
  Columns columns({.gap = 2, .indent = 2});
  for (const Tile& tile : tiles_of(report)) {
    columns.row(
        {sign_of(tile.judgement, tile.good), printable(tile.label), printable(tile.value), printable(tile.note)});
  }
  return columns.text();
}

std::string findings(const RunReport& report) {
  Columns columns({.gap = 2, .indent = 2});
  for (const ReportFact& fact : report.facts)
    if (!fact.headline) columns.row({sign_of(fact.judgement, fact.good), printable(fact.label), printable(fact.value)});
  const std::string text = columns.text();
  return text.empty() ? "" : "\nFindings\n" + text;
}

std::string interruptions(const RunReport& report) {
  Columns columns({.gap = 2, .indent = 2});
  columns.row({"at", "job", "node", "notice", "saved in", "step", "resumed", "lost", "back after"});
  for (std::size_t i = 0; i < std::min(report.interruptions.size(), kMostRows); ++i) {
    const ReportInterruption& one = report.interruptions[i];
    columns.row({clock_text(one.at), printable(one.job), printable(one.node), duration_text(one.notice),
                 one.saved ? duration_text(one.save_took) : "not saved", count_text(one.step_at_notice),
                 one.step_resumed ? count_text(*one.step_resumed) : "-",
                 one.steps_lost ? count_text(*one.steps_lost) : "-",
                 one.resumed_after ? duration_text(*one.resumed_after) : (one.survived ? "-" : "never")});
  }
  std::string text = columns.text();
  if (report.interruptions.size() > kMostRows)
    text += "  and " + count_text(static_cast<std::int64_t>(report.interruptions.size() - kMostRows)) + " more\n";
  return text;
}

// The last lines of the trainers whose interruption was not survived.
std::string last_lines(const RunReport& report) {
  constexpr std::size_t kMost = 5;
  std::string text;
  std::size_t shown = 0;
  for (const ReportInterruption& one : report.interruptions) {
    if (one.survived || one.last_lines.empty() || ++shown > kMost) continue;
    text += "\nThe last lines of " + printable(one.job) + " at " + clock_text(one.at) + "\n";
    for (const std::string& line : one.last_lines) text += "  | " + printable(line) + "\n";
  }
  return text;
}

}  // namespace

std::string report_summary(const RunReport& report) {
  std::string text = printable(report.title) + "\n";
  if (!report.subtitle.empty()) text += printable(report.subtitle) + "\n";
  text += "\n" + verdict_of(report) + "\n";
  for (const std::string& reason : report.reasons) text += "  - " + printable(reason) + "\n";
  return text + "\n" + figures(report);
}

std::string report_text(const RunReport& report) {
  std::string text = report_summary(report);
  if (!report.interruptions.empty()) text += "\nInterruptions\n" + interruptions(report) + last_lines(report);
  return text + findings(report);
}

}  // namespace reprise::rehearsal
