// Files in which trainers keep what a training goes on from, whoever has written them: known by the endings of their
// names and by their first bytes.
#pragma once

#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// True by the name's ending, in small letters or capitals: those of torch.save, safetensors, pickle, numpy, HDF5 and
// Keras.
[[nodiscard]] bool is_named_as_state(std::string_view name);

// Checks that a file of such a name goes on to where its own first bytes say that it ends. Such a name may be anybody's
// ("tokens.bin"): a file whose first bytes do not tell passes.
[[nodiscard]] Flawed check_state_file(const CheckedFile& file);

}  // namespace reprise::agent
