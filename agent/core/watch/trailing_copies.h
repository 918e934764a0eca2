// Complete checkpoints that a trainer makes of its saves beside them ("best/step_500", "step_400_ema", "hf/step_500"):
// a training goes on from the save itself. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// Of `complete` the names with a word for copies that stand behind another complete one, whatever was completed last:
// one without such a word which the same attempt has made without a doubt, or which is of the same step. What an agent
// saw appear stands only behind what one saw appear: nothing from before the job outranks it. What nobody saw appear
// stands behind whatever is as far. Several that go on where the others have ended are the training itself. Of
// "weights", which parts of saves are called too, only what is behind is a copy.
[[nodiscard]] std::set<std::string> trailing_copies(const std::vector<const Checkpoint*>& complete,
                                                    const Appearances& appearances);

}  // namespace reprise::agent
