// The object that torch.save has written into a file: the pickle in its archive, or in the file itself where it is
// none.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/torch/pickle.h"

namespace reprise::agent {

struct SavedObject {
  std::unique_ptr<const std::string> bytes;  // into which the nodes point
  Pickle nodes;                              // at least one
};

// Reads the object; beyond 16 MiB only what thin_pickle.h leaves. Empty: the file holds none, one that cannot be read,
// or one of which more than 16 MiB are left.
[[nodiscard]] runtime::Result<std::optional<SavedObject>> read_saved_object(const CheckedFile& file);

// True if the object has more than 16 MiB: then the fact that nothing was read of it says nothing about it.
[[nodiscard]] runtime::Result<bool> is_large_saved_object(const CheckedFile& file);

}  // namespace reprise::agent
