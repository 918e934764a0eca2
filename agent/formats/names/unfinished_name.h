// Names that libraries and scripts give to what they are still writing: "step_20-tmp", "checkpoint-20.pt.part",
// "step_20.tmp-3f2a", "tmp-checkpoint-20", "step_20.incomplete".
#pragma once

#include <string_view>

namespace reprise::agent {

// What bears such a name gets another one when it is whole, so it is complete under no format.
[[nodiscard]] bool names_unfinished_save(std::string_view name);

// The name that it is to get, as far as the words tell: "step_20" of "step_20.tmp-3f2a". Other names are returned
// whole.
[[nodiscard]] std::string_view name_when_finished(std::string_view name);

}  // namespace reprise::agent
