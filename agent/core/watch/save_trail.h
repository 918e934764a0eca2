// Follows a save that a trainer has begun and not brought to an end, by the watch's sight of it: also one that it has
// removed itself when it failed. From any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "agent/core/watch/watch.h"

namespace reprise::agent {

class SaveTrail {
 public:
  void note(const CheckpointWatch::Seen& seen);
  // Its name; empty: there is none.
  [[nodiscard]] std::optional<std::string> broke_off() const;

 private:
  [[nodiscard]] bool comes_after_newest(const std::string& name) const;

  mutable std::mutex mutex_;
  std::optional<Checkpoint> newest_;
  std::optional<std::string> begun_;
};

}  // namespace reprise::agent
