#include "runtime/manager/stop_signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace reprise::runtime {
namespace {

sigset_t own_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

void block_stop_signals() {
  const sigset_t signals = own_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void wait_for_stop(int stop_event, const std::function<void()>& asked) {
  const sigset_t signals = own_signals();
  const int signal_event = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  std::array<pollfd, 2> sources{pollfd{signal_event, POLLIN, 0}, pollfd{stop_event, POLLIN, 0}};
  bool stop = false;
  while (!stop) {
    if (poll(sources.data(), sources.size(), -1) < 0) {
      stop = errno != EINTR;
      continue;
    }
    stop = (sources[1].revents & POLLIN) != 0;
    signalfd_siginfo signal{};
    if (read(signal_event, &signal, sizeof signal) != sizeof signal) continue;
    if (signal.ssi_signo == SIGUSR1)
      asked();
    else
      stop = true;
  }
  close(signal_event);
}

}  // namespace reprise::runtime
