#include "agent/process/system_signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace reprise::agent {
namespace {

// Not by the kernel, which names no sender either: a terminal, a timer.
bool by_a_process(int code) {
  return code == SI_USER || code == SI_QUEUE || code == SI_TKILL;
}

}  // namespace

SystemSignals::SystemSignals() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int defect : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&blocked, defect);
  pthread_sigmask(SIG_SETMASK, &blocked, &original_);
  signals_ = FileDescriptor(::signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK));
  wake_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

std::optional<ReceivedSignal> SystemSignals::wait(runtime::Instant until) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - runtime::SystemClock().steady());
  std::array<pollfd, 2> sources{
      {{.fd = signals_.get(), .events = POLLIN, .revents = 0}, {.fd = wake_.get(), .events = POLLIN, .revents = 0}}};
  const auto timeout = std::clamp<std::int64_t>(left.count(), 0, 60'000);
  ::poll(sources.data(), sources.size(), static_cast<int>(timeout));
  std::uint64_t wakes = 0;
  [[maybe_unused]] const auto drained = ::read(wake_.get(), &wakes, sizeof wakes);
  signalfd_siginfo info{};
  if (::read(signals_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return ReceivedSignal{.number = static_cast<int>(info.ssi_signo),
                        .from_outside = info.ssi_pid == 0 && by_a_process(info.ssi_code)};
}

void SystemSignals::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

}  // namespace reprise::agent
