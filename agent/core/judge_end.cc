#include "agent/core/judge_end.h"

#include <csignal>

namespace reprise::agent {

EndVerdict judge_end(const TrainerEnd& end) {
  const bool good = end.exit_code == 0 && !end.fenced;
  return {.finished = good && !end.stop && !end.requested, .stop_requested = end.stop || (good && end.requested)};
}

bool is_request(int signal, int notice_signal) {
  if (signal == notice_signal) return true;
  return signal != SIGCONT && signal != SIGWINCH && signal != SIGURG;
}

}  // namespace reprise::agent
