// Reports may be huge; a page shows what an eye can tell apart and says how much it left out.
#pragma once

#include <cstddef>
#include <vector>

#include "rehearsal/report/run_report.h"

namespace reprise::rehearsal {

template <class T>
struct Thinned {
  std::vector<T> kept;
  std::size_t left_out = 0;
};

// At most `most` marks, in their order. Checkpoints are removed first: each other kind tells more. Where some marks of
// a kind must go, the rest is spread evenly, with the first and the last.
[[nodiscard]] Thinned<ReportMark> thinned(const std::vector<ReportMark>& marks, std::size_t most);
// At most `most` spans. Neighbours too short to be told apart become one, in the state that lasted longest among them;
// a span of which more than a part in `most` / 2 of `length` is seen stays as it is. Spans are in order of time.
[[nodiscard]] Thinned<ReportSpan> thinned(const std::vector<ReportSpan>& spans, std::size_t most,
                                          runtime::Duration length);

// The first and the last of `lines`, with a line between that says how many are missing; at most `most` + 1.
[[nodiscard]] std::vector<std::string> ends_of(const std::vector<std::string>& lines, std::size_t most);

}  // namespace reprise::rehearsal
