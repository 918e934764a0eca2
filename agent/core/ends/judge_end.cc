#include "agent/core/ends/judge_end.h"

#include <csignal>

namespace reprise::agent {

EndVerdict judge_end(const TrainerEnd& end) {
  const bool good = end.exit_code == 0 && !end.fenced;
  const bool request_only = good && end.requested && !end.stop;
  return {.finished = good && !end.stop && !end.requested,
          .stop_requested = end.stop || request_only,
          .request_only = request_only};
}

bool is_request(int signal, int notice_signal) {
  if (signal == notice_signal) return true;
  return signal != SIGCONT && signal != SIGWINCH && signal != SIGURG;
}

}  // namespace reprise::agent
