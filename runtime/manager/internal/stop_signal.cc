#include "runtime/manager/internal/stop_signal.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace reprise::runtime::internal {
namespace {

sigset_t stopping_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

StopSignal::StopSignal() : requests_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const sigset_t signals = stopping_signals();
  signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

StopSignal::~StopSignal() {
  if (requests_ >= 0) close(requests_);
  if (signals_ >= 0) close(signals_);
}

void StopSignal::block() {
  const sigset_t signals = stopping_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool StopSignal::wait() {
  std::array<pollfd, 2> sources{pollfd{signals_, POLLIN, 0}, pollfd{requests_, POLLIN, 0}};
  while (poll(sources.data(), sources.size(), -1) < 0 && errno == EINTR) {
  }
  signalfd_siginfo taken{};
  eventfd_t requested = 0;
  (void)eventfd_read(requests_, &requested);
  return read(signals_, &taken, sizeof taken) > 0;
}

void StopSignal::request() {
  if (requests_ >= 0) (void)eventfd_write(requests_, 1);
}

}  // namespace reprise::runtime::internal
