// Shows directories of the machine at the places where a pod wants its volumes, for one process and its children alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/error.h"

namespace reprise::rehearsal {

struct Mount {
  std::filesystem::path source;  // exists
  std::filesystem::path at;      // absolute; need not exist
  bool read_only = false;
  friend bool operator==(const Mount&, const Mount&) = default;
};

// Mounts in a process that has entered a mount namespace of its own. Places that do not exist are made without touching
// the machine: the root is then put together anew from existing and wanted places, at `scratch` (an empty directory),
// and becomes the process's root.
[[nodiscard]] runtime::Result<void> mount_all(std::vector<Mount> mounts, const std::filesystem::path& scratch);

}  // namespace reprise::rehearsal
