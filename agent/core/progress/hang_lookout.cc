#include "agent/core/progress/hang_lookout.h"

#include <utility>

#include "agent/core/stop/telling/told.h"

namespace reprise::agent {
namespace {

HangWatch::Options options_of(const Environment& env) {
  return {.timeout = env.progress_timeout, .save_period = env.save_period, .leads = env.is_volume_leader()};
}

}  // namespace

HangLookout::HangLookout(Session& session, std::shared_ptr<const TrainerOutput> output)
    : session_(session), output_(std::move(output)), watch_(options_of(session.env), session.clock.steady()) {
  if (!session.env.is_gang() || !session.env.is_volume_leader()) return;
  peers_ = std::make_shared<PeersStarted>(session.volume, session.self, session.env.parallelism);
  looking_for_peers_ = session.host.threads().repeat(session.env.heartbeat_period, [peers = peers_] { peers->look(); });
}

// An agent that waits for a heartbeat is told by nobody that it has come.
bool HangLookout::waits_for_peers(runtime::Instant now) {
  if (!peers_ || peers_->all()) return false;
  if (now < ask_again_) return true;
  ask_again_ = now + session_.env.heartbeat_period;
  looking_for_peers_->kick();
  return true;
}

std::optional<Hang> HangLookout::look(const CheckpointWatch::Seen& seen) {
  const auto told = session_.live ? session_.live->moves() : Progress::Moves{};
  const auto now = session_.clock.steady();
  return watch_.look({.waits_for_peers = waits_for_peers(now),
                      .moves = told.count,
                      .step = told.step,
                      .stated = told.stated,
                      .printed = output_->printed(),
                      .newest = seen.newest,
                      .saving = seen.saving,
                      .saving_bytes = seen.saving_bytes,
                      .look_begun = seen.look_begun,
                      .look_ended = seen.look_ended},
                     now);
}

void HangLookout::ask_where_it_stands(const std::vector<Process>& processes) const {
  if (session_.env.hang_signal == 0) return;
  for (const pid_t pid : told_to_answer(session_.env.hang_signal, session_.host.pid(), processes))
    session_.host.send(pid, session_.env.hang_signal);
}

bool HangLookout::finish() {
  return !looking_for_peers_ || looking_for_peers_->finish(std::chrono::milliseconds(500));
}

std::unique_ptr<HangLookout> look_out_for_hangs(Session& session, std::shared_ptr<const TrainerOutput> output) {
  if (!session.env.watches_for_hangs()) return nullptr;
  return std::make_unique<HangLookout>(session, std::move(output));
}

}  // namespace reprise::agent
