// Which save a trainer has begun and not brought to an end, by what the watch sees of it: also one that it has removed
// itself when it failed. From any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "agent/core/watch.h"

namespace reprise::agent {

class SaveTrail {
 public:
  void note(const CheckpointWatch::Seen& seen) {
    const std::lock_guard lock(mutex_);
    if (seen.newest != newest_) begun_.reset();
    newest_ = seen.newest;
    if (seen.saving && (!newest_ || newest_->name != *seen.saving)) begun_ = seen.saving;
  }
  // Its name; nothing: there is none.
  [[nodiscard]] std::optional<std::string> broke_off() const {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Checkpoint> newest_;
  std::optional<std::string> begun_;
};

}  // namespace reprise::agent
