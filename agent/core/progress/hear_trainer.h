// Sends a trainer's words, and what is seen of it, to where they are kept for reports.
#pragma once

#include <functional>
#include <memory>

#include "agent/core/progress/trainer_output.h"
#include "agent/core/run/session.h"
#include "agent/core/watch/watch.h"

namespace reprise::agent {

// Before the trainer starts: from then on the host hears what it says. Its last lines are in what comes back.
[[nodiscard]] std::shared_ptr<const TrainerOutput> hear_trainer(Session& session);

// The pattern that reads the lines of that trainer.
[[nodiscard]] ProgressPattern pattern_of(const Environment& env);

// Tells of checkpoints for the watch; empty where no reports are made.
[[nodiscard]] std::function<void(const CheckpointWatch::Seen&)> tell_of_checkpoints(const Session& session);

}  // namespace reprise::agent
