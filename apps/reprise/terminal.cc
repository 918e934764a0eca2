#include "apps/reprise/terminal.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string_view>

namespace reprise::apps {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

// A signal handler can reach nothing else.
std::atomic<int> g_interrupts = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) {
  if (g_interrupts.fetch_add(1) == 0) return;
  constexpr std::string_view restore = rehearsal::kRestoreTerminal;
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, restore.data(), restore.size());
  ::_exit(128 + signal);
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = variable(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string_view::npos || value.find("utf8") != std::string_view::npos;
  }
  return false;
}

}  // namespace

std::optional<rehearsal::LiveStyle> terminal_style() {
  if (::isatty(STDOUT_FILENO) == 0 || variable("TERM") == "dumb") return std::nullopt;
  return rehearsal::LiveStyle{.colours = variable("NO_COLOR").empty(), .unicode = utf8_locale()};
}

rehearsal::TerminalSize terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {.columns = size.ws_col, .rows = size.ws_row};
}

InterruptNote::InterruptNote() {
  g_interrupts = 0;
  struct sigaction action {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

InterruptNote::~InterruptNote() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

bool InterruptNote::came() {
  return g_interrupts > 0;
}

}  // namespace reprise::apps
