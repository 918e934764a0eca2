#include "runtime/manager/internal/stop_signal.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <initializer_list>

namespace reprise::runtime::internal {
namespace {

sigset_t set_of(std::initializer_list<int> numbers) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : numbers) sigaddset(&signals, number);
  return signals;
}

int readable_at(std::initializer_list<int> numbers) {
  const sigset_t signals = set_of(numbers);
  return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool take(int descriptor) {
  signalfd_siginfo taken{};
  return read(descriptor, &taken, sizeof taken) > 0;
}

}  // namespace

StopSignal::StopSignal()
    : requests_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      signals_(readable_at({SIGTERM, SIGINT})),
      tell_(readable_at({SIGUSR1})) {}

StopSignal::~StopSignal() {
  for (const int descriptor : {requests_, signals_, tell_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

void StopSignal::block() {
  const sigset_t signals = set_of({SIGTERM, SIGINT, SIGUSR1});
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool StopSignal::wait(const std::function<void()>& tell) {
  std::array<pollfd, 3> sources{pollfd{signals_, POLLIN, 0}, pollfd{requests_, POLLIN, 0}, pollfd{tell_, POLLIN, 0}};
  while (true) {
    if (poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR) return false;
    if (take(tell_)) tell();
    eventfd_t requested = 0;
    const bool asked = eventfd_read(requests_, &requested) == 0;
    const bool signalled = take(signals_);
    if (asked || signalled) return signalled;
  }
}

void StopSignal::request() {
  if (requests_ >= 0) (void)eventfd_write(requests_, 1);
}

}  // namespace reprise::runtime::internal
