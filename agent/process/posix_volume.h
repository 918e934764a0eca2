// A mounted volume. `writer`: a pod's UID (posix_files.h).
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "agent/core/run/volume.h"
#include "agent/volume/posix_files.h"

namespace reprise::agent {

[[nodiscard]] inline std::shared_ptr<Volume> posix_volume(
    const std::filesystem::path& root, std::unique_ptr<CheckpointFormat> format,
    std::shared_ptr<VolumeCalls> calls = std::make_shared<VolumeCalls>(), std::string writer = {}) {
  return std::make_shared<Volume>(root, std::move(format),
                                  std::make_unique<const PosixFiles>(std::move(calls), root, std::move(writer)));
}

}  // namespace reprise::agent
