// What an agent does with the volume beside its looks, each on a thread of its own. Both are null for whoever does not
// keep the volume.
#pragma once

#include <memory>

#include "agent/core/run/session.h"
#include "agent/core/run/worker.h"
#include "agent/core/watch/watch.h"

namespace reprise::agent {

// Folds former attempts away while the trainer runs.
[[nodiscard]] std::unique_ptr<Worker> tidy_volume(Session& session);

// Writes down the names of what appears while a look takes its time. Null also where the container may have no more
// threads: the looks write the names down as well, and the trainer is to have its save.
[[nodiscard]] std::unique_ptr<Worker> write_down_names(Session& session, const std::shared_ptr<CheckpointWatch>& watch);

}  // namespace reprise::agent
