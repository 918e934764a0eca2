// How far a job was at each moment, as lines: one per attempt, from the step it resumed at to the step it was stopped
// at.
#pragma once

#include <string>
#include <vector>

#include "rehearsal/report/run_report.h"

namespace reprise::rehearsal {

struct ProgressPoint {
  double x = 0, y = 0;  // shares, 0 to 1: of the run's length, of the most steps
};
using ProgressLine = std::vector<ProgressPoint>;

// Builds lines from the lane's marks that know their step; a line begins at the first training and at each Resume.
[[nodiscard]] std::vector<ProgressLine> progress_lines(const ReportLane& lane, runtime::Duration length);
// SVG of them, `height` pixels from `top`, over the whole width.
[[nodiscard]] std::string progress_curve(const ReportLane& lane, runtime::Duration length, int top, int height);

}  // namespace reprise::rehearsal
