#include "agent/core/heartbeats/peers_started.h"

namespace reprise::agent {

void PeersStarted::look() {
  for (; seen_ < ranks_; ++seen_) {
    if (seen_ == self_.index) continue;
    const auto heartbeat = volume_->files.read(volume_->layout.alive(self_.attempt, seen_));
    if (!heartbeat || !*heartbeat) return;
  }
  all_ = true;
}

}  // namespace reprise::agent
