// Names that libraries give to what they save, where nothing tells whether it is whole, or enough to go on from. Pure.
#pragma once

#include <string_view>

namespace reprise::agent {

// Tells whose file it is, why it is not taken for a checkpoint, and what to do. Empty: it bears no such name.
[[nodiscard]] std::string_view why_unjudged(std::string_view file);

// "model_0004999.pth", as the checkpointer of fvcore calls its files, which Detectron2 uses.
[[nodiscard]] bool is_named_by_detectron(std::string_view file);

// "checkpoint_500", as Flax calls its files: without an ending.
[[nodiscard]] bool is_named_by_flax(std::string_view file);

}  // namespace reprise::agent
