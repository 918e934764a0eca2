// A story for a terminal or a log: verdict, reasons, figures and a row per interruption. Plain text, no colours.
#pragma once

#include <string>

#include "rehearsal/report/story.h"

namespace reprise::simulator {

[[nodiscard]] std::string story_text(const Story& story);
// Its begin alone: verdict, reasons and figures.
[[nodiscard]] std::string story_summary(const Story& story);

}  // namespace reprise::simulator
