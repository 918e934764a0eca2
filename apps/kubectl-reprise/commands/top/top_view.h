// One frame of `kubectl reprise top`, and the effect of keys. Pure.
#pragma once

#include <string>

#include "apps/kubectl-reprise/commands/status/status_view.h"

namespace reprise::plugin {

enum class TopOrder { Name, State, Interruptions, Lost, Age };

struct TopState {
  TopOrder order = TopOrder::Name;
  bool pools = true, jobs = true, ended = false;
};

// q or Escape: ended; s: the next order; p and j: pools and jobs shown or not.
[[nodiscard]] TopState pressed(TopState state, char key);

struct FrameSize {
  std::size_t columns = 0, rows = 0;  // 0: as much as there is
};

// The lines of a screen, cut to its size; with colours when asked for. `trouble`: why the picture is old; empty: it is
// not.
[[nodiscard]] std::string top_frame(const Scene& scene, const TopState& state, kube::Time now, const Columns& columns,
                                    FrameSize size, bool colours, const std::string& trouble);

}  // namespace reprise::plugin
