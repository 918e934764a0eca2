// One picture of a running rehearsal for a terminal: spot capacity, nodes, jobs with their pods.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rehearsal/live/rehearsal_moment.h"

namespace reprise::rehearsal {

struct TerminalSize {
  std::size_t columns = 80, rows = 24;
};

struct LiveStyle {
  bool colours = true;
  bool unicode = true;  // bars of line characters; otherwise of ASCII
};

struct LiveInfo {
  std::string title;
  runtime::Duration length{0};  // how long it is expected to take, in the cluster's time; 0: not known
  double speed = 1;
};

// Lines that fit into the window with two rows to spare, top to bottom. Where there is too little room nodes are cut
// first, then pods, then zones; a line says how many. Text of the moment is made printable.
[[nodiscard]] std::vector<std::string> live_frame(const RehearsalMoment& moment, const LiveInfo& info,
                                                  TerminalSize size, LiveStyle style);

}  // namespace reprise::rehearsal
