// A report as one HTML page that needs nothing else: no script, no font, no picture from outside. Light and dark as the
// reader's machine is, from phones to wide screens; made for keyboards and screen readers as well.
#pragma once

#include <string>

#include "rehearsal/report/run_report.h"

namespace reprise::rehearsal {

// Escapes everything from the report. Too long a list is thinned, and the page says so.
[[nodiscard]] std::string report_page(const RunReport& report);

}  // namespace reprise::rehearsal
