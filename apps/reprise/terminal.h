// The terminal of a command that takes a while: whether there is one, how large it is, and that Ctrl-C ends the command
// in good order.
#pragma once

#include <optional>

#include "rehearsal/live/live_view.h"

namespace reprise::apps {

// Empty when standard output is no terminal, or one that can only write lines (TERM=dumb). Colours unless NO_COLOR is
// set; line characters where the locale is UTF-8.
[[nodiscard]] std::optional<rehearsal::LiveStyle> terminal_style();
[[nodiscard]] rehearsal::TerminalSize terminal_size();

// While it lives, the first SIGINT or SIGTERM is only noted; a second one restores the terminal and ends the process.
// One at a time, for signals belong to the whole process.
class InterruptNote {
 public:
  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;
  [[nodiscard]] static bool came();
};

}  // namespace reprise::apps
