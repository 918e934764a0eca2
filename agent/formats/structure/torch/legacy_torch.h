// Files that torch.save wrote before it wrote zip archives, and still writes on request: five pickles, then the
// storages.
#pragma once

#include <optional>
#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

[[nodiscard]] bool begins_as_legacy_torch(std::string_view head);

// Corrupt when it ends before its pickles do, or before the storages that they refer to. One whose object takes more
// than 16 MiB, and storages of unknown kinds, pass.
[[nodiscard]] Flawed check_legacy_torch(const CheckedFile& file);

// The pickle of the object that was saved. Empty: it takes more than 16 MiB, or cannot be found.
[[nodiscard]] runtime::Result<std::optional<CheckedFile>> find_legacy_object(const CheckedFile& file);

}  // namespace reprise::agent
