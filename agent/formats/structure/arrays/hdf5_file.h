// Files of HDF5, as Keras writes weights: .h5, .hdf5.
#pragma once

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

[[nodiscard]] bool begins_as_hdf5(std::string_view head);

// Checks the file as the library does: the head says where the file ends. A file that was never closed says nothing, or
// more than is there. Corrupt then; a head of an unknown version has no flaw.
[[nodiscard]] Flawed check_hdf5(const CheckedFile& file);

}  // namespace reprise::agent
