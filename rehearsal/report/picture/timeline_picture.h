// The timeline of a report as inline SVG with the names of its lanes beside it: zones, nodes, jobs with their ranks,
// spans coloured by state, marks, and each job's progress as a curve. Positions are percent, so it takes any width; its
// colours are CSS variables of the page (page_style.h).
#pragma once

#include <string>

#include "rehearsal/report/run_report.h"

namespace reprise::rehearsal {

// One <figure>: legend, names, picture, and a sentence on what was left out where the report is huge.
[[nodiscard]] std::string timeline_picture(const RunReport& report);

}  // namespace reprise::rehearsal
