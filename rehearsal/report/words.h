// Words for figures and states, for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rehearsal/report/run_report.h"
#include "runtime/base/clock.h"

namespace reprise::rehearsal {

// The two largest units that matter: "850 ms", "4.2 s", "3 min 05 s", "7 h 42 min", "3 d 4 h".
[[nodiscard]] std::string duration_text(runtime::Duration duration);
// A moment of a run: "7:42:05", hours first.
[[nodiscard]] std::string clock_text(runtime::Duration since_begin);
// "12,345"
[[nodiscard]] std::string count_text(std::int64_t count);
// "1 step", "12 steps"
[[nodiscard]] std::string count_text(std::int64_t count, std::string_view one, std::string_view many);
// "$12.34"; below a dollar with a tenth of a cent.
[[nodiscard]] std::string money_text(double usd);

// Names for programs, lower case with hyphens: keys of CSS classes and JSON.
[[nodiscard]] std::string_view name_of(ReportSpan::State state);
[[nodiscard]] std::string_view name_of(ReportMark::Kind kind);
[[nodiscard]] std::string_view name_of(ReportLane::Kind kind);

// Words for people: "spot available" of a zone, "node ready" of a node; "checkpoint".
[[nodiscard]] std::string_view words_of(ReportSpan::State state, ReportLane::Kind of);
[[nodiscard]] std::string_view words_of(ReportMark::Kind kind);

}  // namespace reprise::rehearsal
