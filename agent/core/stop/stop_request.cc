#include "agent/core/stop/stop_request.h"

#include <csignal>

namespace reprise::agent {

bool is_stop_request(const ReceivedSignal& signal) {
  switch (signal.number) {
    case SIGTERM:
      return true;
    case SIGCHLD:
    case SIGCONT:  // a runtime that lets a frozen container go on
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGPIPE:
      return false;
    default:
      return signal.from_outside;
  }
}

bool ends_without_trainer(const ReceivedSignal& signal) {
  return is_stop_request(signal) || signal.number == SIGINT || signal.number == SIGQUIT || signal.number == SIGHUP;
}

}  // namespace reprise::agent
