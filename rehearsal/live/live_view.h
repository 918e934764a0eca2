// Shows a rehearsal while it runs. On a terminal one picture is drawn over and over in place, below the news, which
// scroll away above it; elsewhere only the news are written, a line each. One thread.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "rehearsal/live/live_frame.h"
#include "rehearsal/live/news.h"
#include "rehearsal/live/rehearsal_moment.h"

namespace reprise::rehearsal {

// Makes the cursor visible again. Plain bytes, so a signal handler may write them.
inline constexpr std::string_view kRestoreTerminal = "\033[?25h\033[0m";

class LiveView {
 public:
  // On a terminal: called before each picture, for windows change their size.
  using SizeOf = std::function<TerminalSize()>;

  LiveView(std::ostream& out, LiveInfo info);                                   // news alone
  LiveView(std::ostream& out, LiveInfo info, SizeOf size_of, LiveStyle style);  // a terminal
  ~LiveView();  // leaves the last picture standing and the cursor below it, visible
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  void show(const RehearsalMoment& moment);

 private:
  struct Terminal {
    SizeOf size_of;
    LiveStyle style;
    std::size_t lines = 0;  // lines of the picture shown
    TerminalSize size;      // the size for which it was drawn
  };

  std::ostream& out_;
  LiveInfo info_;
  std::optional<Terminal> terminal_;
  NewsWriter news_;
};

}  // namespace reprise::rehearsal
