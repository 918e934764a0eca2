// Files of numpy.save: .npy, one array behind a head in text.
#pragma once

#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

[[nodiscard]] bool begins_as_npy(std::string_view head);

// Corrupt when it has fewer bytes than its head calls for. Arrays of Python objects and of records pass.
[[nodiscard]] Flawed check_npy(const CheckedFile& file);

}  // namespace reprise::agent
