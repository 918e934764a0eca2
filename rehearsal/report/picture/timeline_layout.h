// Chooses the lanes of the timeline, their order, and the height of each row. Pure; knows no SVG.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rehearsal/report/run_report.h"

namespace reprise::rehearsal {

struct TimelineRow {
  std::string heading = {}, note = {};  // a row that is a heading has no lane
  const ReportLane* lane = nullptr;     // part of the report the layout was made of, which must outlive it, or of
                                        // `packed`
  bool progress = false;                // there is room for a curve below the spans
  int top = 0, height = 0;              // pixels
};

struct TimelineLayout {
  std::vector<TimelineRow> rows;
  // Many nodes share rows: one is drawn behind another that is gone. Their names are in the labels.
  std::vector<ReportLane> packed;
  int height = 0;
  std::size_t lanes_left_out = 0;
  std::size_t most_marks = 0, most_spans = 0;  // per lane, so that the whole stays small enough to scroll smoothly
};

[[nodiscard]] TimelineLayout timeline_layout(const RunReport& report);

}  // namespace reprise::rehearsal
