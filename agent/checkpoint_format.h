// The seam for checkpoint formats: a format says whether a directory holds a complete checkpoint.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::agent {

class CheckpointFormat {
 public:
  virtual ~CheckpointFormat() = default;
  // When the piece that makes `directory` complete was written; nothing while it is not complete. A volume that
  // cannot be read is an error, never "not complete". Callable from any thread.
  [[nodiscard]] virtual runtime::Result<std::optional<runtime::WallTime>> completed(
      const std::filesystem::path& directory) const = 0;
  // Makes `directory` incomplete before it is deleted where it cannot be moved away first.
  [[nodiscard]] virtual runtime::Result<void> invalidate(const std::filesystem::path& directory) const = 0;
};

// By REPRISE_CHECKPOINT_FORMAT; an unknown name is an error that lists the known ones.
[[nodiscard]] runtime::Result<std::unique_ptr<CheckpointFormat>> make_format(std::string_view name);

}  // namespace reprise::agent
