// `reprise-agent install DIR`: puts a copy of this binary into the emptyDir from which the trainer's container runs it.
#pragma once

#include <filesystem>

#include "runtime/base/error.h"

namespace reprise::agent {

// DIR/reprise-agent, mode 0755; a reader sees the old file or the whole new one.
[[nodiscard]] runtime::Result<void> install(const std::filesystem::path& directory);

}  // namespace reprise::agent
