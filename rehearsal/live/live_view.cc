#include "rehearsal/live/live_view.h"

#include <algorithm>
#include <ostream>

#include "rehearsal/report/columns.h"

namespace reprise::rehearsal {
namespace {

constexpr std::string_view kHideCursor = "\033[?25l", kRestOfLine = "\033[K", kRestOfScreen = "\033[J",
                           kWholeScreen = "\033[2J\033[H";

}  // namespace

LiveView::LiveView(std::ostream& out, LiveInfo info) : out_(out), info_(std::move(info)) {}

LiveView::LiveView(std::ostream& out, LiveInfo info, SizeOf size_of, LiveStyle style)
    : out_(out), info_(std::move(info)), terminal_(Terminal{.size_of = std::move(size_of), .style = style}) {
  out_ << kHideCursor << std::flush;
}

LiveView::~LiveView() {
  if (terminal_) out_ << kRestoreTerminal << std::flush;
}

void LiveView::show(const RehearsalMoment& moment) {
  std::string text;
  if (!terminal_) {
    for (const std::string& news : news_.lines_of(moment)) text += news + "\n";
    out_ << text << std::flush;
    return;
  }
  const TerminalSize size = terminal_->size_of();
  const bool resized = size.columns != terminal_->size.columns || size.rows != terminal_->size.rows;
  if (terminal_->lines > 0) {
    // In a window of another width the old lines may have been broken anew: where they begin is not known.
    text += resized ? std::string(kWholeScreen) : "\r\033[" + std::to_string(terminal_->lines) + "A";
  }
  const auto write = [&](const std::string& line) { text.append(line).append(kRestOfLine).append("\n"); };
  for (const std::string& news : news_.lines_of(moment)) write(clipped(" " + news, size.columns));
  const std::vector<std::string> frame = live_frame(moment, info_, size, terminal_->style);
  write("");
  for (const std::string& line : frame) write(line);
  text += kRestOfScreen;
  terminal_->lines = frame.size() + 1;
  terminal_->size = size;
  out_ << text << std::flush;
}

}  // namespace reprise::rehearsal
