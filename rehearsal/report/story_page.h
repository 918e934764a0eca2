// A story as one HTML page that needs nothing else: no script, no font, no picture from outside. Light and dark as the
// reader's machine is, from phones to wide screens; made for keyboards and screen readers as well.
#pragma once

#include <string>

#include "rehearsal/report/story.h"

namespace reprise::simulator {

// Everything from the story is escaped. What is too much for a page is thinned, and the page says so.
[[nodiscard]] std::string story_page(const Story& story);

}  // namespace reprise::simulator
