// A fence that is there and cannot be read, for good: the storage has lost its bytes. Who owns the volume has to be
// seen by what else lies there.
#pragma once

#include <optional>
#include <string>

#include "agent/core/fencing/fence.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

class LostFence {
 public:
  // Reads the fence; nothing where there is none. One that gives an error is an error until the last try, and lost then
  // if nobody has written it meanwhile: none is returned, and has_lost() says so.
  [[nodiscard]] runtime::Result<std::optional<Fence>> read(const Volume& volume, bool is_last_try);
  [[nodiscard]] bool has_lost() const { return is_lost_; }

 private:
  std::optional<std::string> mark_;  // mark of the one that gave an error
  bool is_lost_ = false;
};

// Not empty: a later attempt of this job, or of somebody who cannot be told from it, has been there, and may have
// raised the fence.
[[nodiscard]] runtime::Result<std::string> why_behind_lost_fence(const Volume& volume, const Identity& self);

}  // namespace reprise::agent
