// Sums up a report: the verdict in plain words and the figures that page, text and JSON share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rehearsal/report/run_report.h"

namespace reprise::rehearsal {

struct ReportSums {
  std::int64_t interruptions = 0, survived = 0, saved = 0;
  std::int64_t unneeded = 0;                       // not saved, for nothing was new
  std::int64_t steps_lost = 0, steps_unknown = 0;  // for interruptions whose steps are known; how many are not
  runtime::Duration training_lost{0};
  runtime::Duration slowest_save{0};
  std::optional<runtime::Duration> median_way_back, longest_way_back;  // from notice to training; nothing: never
  std::optional<double> percent_saved;  // against on demand; negative: it was dearer. Empty: no cost is known
};

[[nodiscard]] ReportSums sums_of(const RunReport& report);

// "Survived all 8 interruptions", "Did not survive"
[[nodiscard]] std::string verdict_of(const RunReport& report);

struct Tile {
  std::string label, value;
  std::string note = {};
  bool judgement = false, good = true;
};

// The sums worth showing, then the report's own facts that are headlines.
[[nodiscard]] std::vector<Tile> tiles_of(const RunReport& report);

}  // namespace reprise::rehearsal
