// Hand-made stories for tests of the report: what a run of an hour and a half might have told.
#pragma once

#include <cstddef>

#include "rehearsal/report/story.h"

namespace reprise::simulator::testing {

// Two zones, machines that come and go, three jobs (one of two ranks), every state and every kind of mark.
[[nodiscard]] Story sample_story();
// The same, but it did not survive; every text tries to break out of where it is shown.
[[nodiscard]] Story hostile_story();
// A job with so many marks and spans, on so many machines, with so many lines and interruptions.
[[nodiscard]] Story huge_story(std::size_t each);

}  // namespace reprise::simulator::testing
