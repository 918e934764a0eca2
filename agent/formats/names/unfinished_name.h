// Names that libraries and scripts give to what they are still writing, or throwing away: "step_20-tmp",
// "checkpoint-20.pt.part", "step_20.tmp-3f2a", "tmp-checkpoint-20", "step_20.incomplete", "step_20.writing_rank0".
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reprise::agent {

// True for the name of a save that gets another name when it is whole, so that it is complete under no format.
[[nodiscard]] bool names_unfinished_save(std::string_view name);

// True if one of the directories in that path is where unfinished saves lie: "tmp", "run/_temporary", "trash". A word
// that may as well describe the training ("staging", "writing") does not.
[[nodiscard]] bool is_place_of_unfinished(std::string_view directories);

// The name that it is to get, as far as the words tell: "step_20" of "step_20.tmp-3f2a". Other names are returned
// whole.
[[nodiscard]] std::string_view name_when_finished(std::string_view name);

// True if a file may be the sign that stands beside a save, or beside the directory it lies in, as long as it lasts:
// NeMo's "epoch=1-step=10-unfinished", "step_20.unfinished". It is empty.
[[nodiscard]] bool may_be_sign_of_unfinished(std::string_view file);

// The paths of such signs for what lies at that one, of ranks as well: "out/step=10-unfinished" of
// "out/mp_rank_00/step=10-EMA.ckpt" and of "out/step=10/weights".
[[nodiscard]] std::vector<std::string> signs_of_unfinished(std::string_view path);

}  // namespace reprise::agent
