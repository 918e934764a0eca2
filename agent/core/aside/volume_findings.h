// Findings about the volume's own ways: its file system by the mount, and what it allows by trying. From any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "agent/volume/volume_files.h"
#include "protocol/reported_volume.h"

namespace reprise::agent {

// The name in records and reports.
[[nodiscard]] std::string_view name_of(DurabilityProof proof);

class VolumeFindings {
 public:
  void set(protocol::ReportedVolume found) {
    const std::lock_guard lock(mutex_);
    found_ = std::move(found);
  }
  // Empty before it was found out.
  [[nodiscard]] std::optional<protocol::ReportedVolume> get() const {
    const std::lock_guard lock(mutex_);
    return found_;
  }
  // False where that is not known.
  [[nodiscard]] bool keeps_everything() const {
    const std::lock_guard lock(mutex_);
    return found_ && found_->remove == false;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<protocol::ReportedVolume> found_;
};

}  // namespace reprise::agent
