// Hand-made reports for tests of the report: what a run of an hour and a half might report.
#pragma once

#include <cstddef>

#include "rehearsal/report/run_report.h"

namespace reprise::rehearsal::testing {

// Two zones, nodes that come and go, three jobs (one of two ranks), every state and every kind of mark.
[[nodiscard]] RunReport sample_report();
// The same, but it did not survive; every text tries to break out of where it is shown.
[[nodiscard]] RunReport hostile_report();
// A job with so many marks and spans, on so many nodes, with so many lines and interruptions.
[[nodiscard]] RunReport huge_report(std::size_t each);

}  // namespace reprise::rehearsal::testing
