// Looks for a hang (hang_watch.h) while the trainer runs: brings together what was told, printed and saved. On the
// supervisor's thread.
#pragma once

#include <memory>
#include <optional>

#include "agent/core/heartbeats/peers_started.h"
#include "agent/core/progress/hang_watch.h"
#include "agent/core/progress/trainer_output.h"
#include "agent/core/run/session.h"
#include "agent/core/watch/watch.h"

namespace reprise::agent {

class HangLookout {
 public:
  // Begins when the trainer runs. `session` outlives it.
  HangLookout(Session& session, std::shared_ptr<const TrainerOutput> output);

  [[nodiscard]] std::optional<Hang> look(const CheckpointWatch::Seen& seen);
  // $REPRISE_HANG_SIGNAL to whoever handles it: their stacks, on their own standard error.
  void ask_where_it_stands(const std::vector<Process>& processes) const;
  // Looks at the volume no more; whether the last look ended in time.
  [[nodiscard]] bool finish();

 private:
  [[nodiscard]] bool waits_for_peers(runtime::Instant now);

  Session& session_;
  std::shared_ptr<const TrainerOutput> output_;
  std::shared_ptr<PeersStarted> peers_;  // the others of a gang whose volume this agent looks after
  std::unique_ptr<Worker> looking_for_peers_;
  runtime::Instant ask_again_{};  // for peers
  HangWatch watch_;
};

// Null where nobody has set a timeout.
[[nodiscard]] std::unique_ptr<HangLookout> look_out_for_hangs(Session& session,
                                                              std::shared_ptr<const TrainerOutput> output);

}  // namespace reprise::agent
