// Tells if the agents of all ranks of a gang have begun, by their heartbeats on the volume: until then its trainers
// wait for each other, and one that waits does not hang.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

class PeersStarted {
 public:
  PeersStarted(std::shared_ptr<const Volume> volume, Identity self, std::int32_t ranks)
      : volume_(std::move(volume)), self_(std::move(self)), ranks_(ranks) {}

  // Asks the volume, which may hang, for the first that was not there at the last look; on a Worker.
  void look();
  // Safe from any thread.
  [[nodiscard]] bool all() const { return all_; }

 private:
  std::shared_ptr<const Volume> volume_;
  Identity self_;
  std::int32_t ranks_;
  std::int32_t seen_ = 0;  // number of the first ones that have begun
  std::atomic<bool> all_{false};
};

}  // namespace reprise::agent
