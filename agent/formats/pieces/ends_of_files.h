// Whether a file beside a save was cut off: where its kind says where it ends its own bytes show it, however long the
// others of its kind are.
#pragma once

#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// By its ending: a file with a training's state (structure/state_file.h), or ".gz", ".parquet", ".json".
[[nodiscard]] bool may_show_its_end(std::string_view path);

// Of such a file. What no first bytes tell passes.
[[nodiscard]] Flawed check_its_end(const CheckedFile& file);

// Whether a file without a flaw is of a kind that shows it, by its first bytes.
[[nodiscard]] bool shows_its_end(const CheckedFile& file, std::string_view head);

}  // namespace reprise::agent
