// Files of safetensors: the length of a head, the head in JSON, the tensors' bytes.
#pragma once

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// Checks the file as the library does: the tensors follow each other without a gap, and the last ends where the file
// does. The head is read, the tensors are not.
[[nodiscard]] Flawed check_safetensors(const CheckedFile& file);

}  // namespace reprise::agent
