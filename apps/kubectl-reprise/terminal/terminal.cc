#include "apps/kubectl-reprise/terminal/terminal.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <iostream>

namespace reprise::plugin {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
constexpr char kEscape = 27;

// A signal handler can reach nothing else.
std::atomic<bool> g_ended = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void note_end(int) {
  g_ended = true;
}

class RealTerminal final : public LiveTerminal {
 public:
  explicit RealTerminal(const termios& before) : before_(before) {
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    g_ended = false;
    handle(note_end);
    std::cout << "\x1b[?1049h\x1b[?25l" << std::flush;  // the other screen, no cursor
  }
  ~RealTerminal() override {
    std::cout << "\x1b[?25h\x1b[?1049l" << std::flush;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    handle(SIG_DFL);
  }
  RealTerminal(const RealTerminal&) = delete;
  RealTerminal& operator=(const RealTerminal&) = delete;

  FrameSize size() override {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {80, 24};
    return {size.ws_col, size.ws_row};
  }
  char key(runtime::Duration at_most) override {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&input, 1, static_cast<int>(at_most.count()));
    if (g_ended) return kEscape;
    if (ready <= 0) return 0;
    char key = 0;
    return ::read(STDIN_FILENO, &key, 1) == 1 ? key : kEscape;
  }
  void show(const std::string& frame) override {
    // Overwrites the last frame line by line, so that nothing flickers.
    std::string text = "\x1b[H";
    for (const char each : frame) text += each == '\n' ? std::string("\x1b[K\r\n") : std::string(1, each);
    if (text.ends_with("\r\n")) text.resize(text.size() - 2);
    std::cout << text << "\x1b[J" << std::flush;
  }

 private:
  static void handle(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
  }
  termios before_;
};

}  // namespace

std::unique_ptr<LiveTerminal> open_terminal() {
  termios before{};
  if (::isatty(STDOUT_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &before) != 0) return nullptr;
  return std::make_unique<RealTerminal>(before);
}

}  // namespace reprise::plugin
