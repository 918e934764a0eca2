// Which save a trainer has begun and not brought to an end, by what the watch sees of it: also one that it has removed
// itself when it failed. From any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "agent/core/watch.h"
#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {

class SaveTrail {
 public:
  void note(const CheckpointWatch::Seen& seen) {
    const std::lock_guard lock(mutex_);
    if (seen.newest != newest_) begun_.reset();
    newest_ = seen.newest;
    if (seen.saving && comes_after_newest(*seen.saving)) begun_ = seen.saving;
  }
  // Its name; nothing: there is none.
  [[nodiscard]] std::optional<std::string> broke_off() const {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  // Not so what a library deletes file by file, which is torn as well.
  [[nodiscard]] bool comes_after_newest(const std::string& name) const {
    if (!newest_) return true;
    const auto step = step_of(name);
    return name != newest_->name && (!step || *step >= newest_->step);
  }

  mutable std::mutex mutex_;
  std::optional<Checkpoint> newest_;
  std::optional<std::string> begun_;
};

}  // namespace reprise::agent
