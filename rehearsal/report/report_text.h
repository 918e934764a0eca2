// A report for a terminal or a log: verdict, reasons, figures and a row per interruption. Plain text, no colours.
#pragma once

#include <string>

#include "rehearsal/report/run_report.h"

namespace reprise::rehearsal {

[[nodiscard]] std::string report_text(const RunReport& report);
// The beginning of the report: verdict, reasons and figures.
[[nodiscard]] std::string report_summary(const RunReport& report);

}  // namespace reprise::rehearsal
