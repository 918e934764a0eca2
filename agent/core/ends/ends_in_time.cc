#include "agent/core/ends/ends_in_time.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <system_error>
#include <utility>

#include "agent/core/ends/end_timeouts.h"
#include "agent/core/proofs/proofs.h"
#include "agent/core/run/worker.h"
#include "agent/core/stop/stop_request.h"

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;

std::unique_ptr<Worker> begin(Session& session, std::function<void()> work, std::shared_ptr<std::atomic<bool>> over) {
  constexpr std::chrono::hours once{24};
  try {
    return session.host.threads().repeat(once,
                                         [over = std::move(over), signals = session.signals, work = std::move(work)] {
                                           if (*over) return;
                                           work();
                                           *over = true;
                                           signals->wake();
                                         });
  } catch (const std::system_error&) {  // the container may have no more threads
    return nullptr;
  }
}

}  // namespace

bool ends_in_time(Session& session, std::function<void()> work) {
  const auto part = [&session] { return session.clock.steady() + last_look_timeout(session.time_left()); };
  const auto over = std::make_shared<std::atomic<bool>>(false);
  const auto worker = begin(session, std::move(work), over);
  const bool has_time = !session.stop_requested && keeps_proofs(session.volume->files);
  auto deadline = has_time ? std::max(part(), session.clock.steady() + kLongestAtEnd) : part();
  while (worker && !*over && session.clock.steady() < deadline) {
    const auto signal = session.signals->wait(deadline);
    if (!signal || !is_stop_request(*signal) || session.stop_requested) continue;
    session.stop_requested = session.clock.steady();
    deadline = std::min(deadline, part());
  }
  if (worker) session.all_ended = worker->finish(milliseconds(*over ? 500 : 0)) && session.all_ended;
  return *over;
}

}  // namespace reprise::agent
