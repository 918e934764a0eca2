// Files that torch.save has written, in its archive or in its older form, or for which somebody has called pickle.dump.
#pragma once

#include <optional>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// Checks the file by the kind that its first bytes tell. A file that begins as none of them is Corrupt as an archive
// is.
[[nodiscard]] Flawed check_torch_file(const CheckedFile& file);

// The pickle of the object in it. Empty: none is found.
[[nodiscard]] runtime::Result<std::optional<CheckedFile>> find_saved_pickle(const CheckedFile& file);

}  // namespace reprise::agent
