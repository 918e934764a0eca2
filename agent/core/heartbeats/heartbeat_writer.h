// Writes this agent's heartbeat: the next counter, and a look whether it may still write. Called from one thread at a
// time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "agent/core/fencing/fence.h"
#include "agent/core/run/identity.h"
#include "agent/volume/volume_files.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {

class HeartbeatWriter {
 public:
  HeartbeatWriter(const VolumeFiles& files, VolumeLayout layout, Identity self, std::chrono::milliseconds period)
      : files_(files), layout_(std::move(layout)), self_(std::move(self)), period_(period), judge_(self_) {}

  struct Outcome {
    std::string fenced;       // why this agent may write no more; empty while it may
    std::string problem;      // the error with which the volume rejected it; training goes on
    bool placed = false;      // the heartbeat is on the volume
    bool fence_seen = false;  // the fence was read, or is not there
    // An older attempt of this job had raised its fence over this one's, and shows at the next look at it; or the fence
    // was deleted or damaged, and was so at the last heartbeat as well.
    bool raised_again = false;
  };

  [[nodiscard]] Outcome next();
  // Takes another job's fence from now on for one that came later.
  void own_fence_seen();
  // The same, and it is this agent's to keep up.
  void own_fence_raised();

 private:
  // Looks whether another pod has taken this one's place.
  void look_for_another(Outcome& outcome) const;
  void beat(Outcome& outcome);
  void look_at_fence(Outcome& outcome);
  [[nodiscard]] bool is_gone() const;
  [[nodiscard]] bool raise_again(Outcome& outcome, DamagedFence damaged) const;

  const VolumeFiles& files_;
  VolumeLayout layout_;
  Identity self_;
  std::chrono::milliseconds period_;
  FenceJudge judge_;
  bool raised_ = false;
  bool is_there_ = false;  // a heartbeat of this agent has come onto the volume
  int missed_ = 0;         // times in a row that the fence that this agent has raised was not there, or not whole
  std::uint64_t counter_ = 0;
};

// True if the files of this attempt and index are this pod's to write: nobody's heartbeat, or its own.
[[nodiscard]] bool owns_files(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self);

}  // namespace reprise::agent
