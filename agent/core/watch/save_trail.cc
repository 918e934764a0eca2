#include "agent/core/watch/save_trail.h"

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {

// False for a checkpoint that a library deletes file by file, which is torn as well.
bool SaveTrail::comes_after_newest(const std::string& name) const {
  if (!newest_) return true;
  const auto step = step_of(name);
  return name != newest_->name && (!step || *step >= newest_->step);
}

void SaveTrail::note(const CheckpointWatch::Seen& seen) {
  const std::lock_guard lock(mutex_);
  if (seen.newest != newest_) begun_.reset();
  newest_ = seen.newest;
  if (seen.saving && comes_after_newest(*seen.saving)) begun_ = seen.saving;
}

std::optional<std::string> SaveTrail::broke_off() const {
  const std::lock_guard lock(mutex_);
  return begun_;
}

}  // namespace reprise::agent
