// What torch.save has written into a file: the pickle in its archive.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/pickle.h"

namespace reprise::agent {

struct SavedObject {
  std::unique_ptr<const std::string> bytes;  // into which the nodes point
  Pickle nodes;                              // at least one
};

// Nothing: the file holds none, one that cannot be read, or one of more than 16 MiB.
[[nodiscard]] runtime::Result<std::optional<SavedObject>> read_saved_object(const CheckedFile& file);

}  // namespace reprise::agent
