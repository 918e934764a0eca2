// Complete checkpoints that a trainer makes of its saves beside them ("best/step_500", "step_400_ema", "hf/step_500"):
// a training goes on from the save itself. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// The names in `complete` with a word for copies that stand behind another complete one, whichever was completed last:
// one without such a word which the same attempt has made without a doubt, or which is of the same step. A copy that an
// agent saw appear stands only behind a checkpoint that one saw appear: none from before the job outranks it. A copy
// that nobody saw appear stands behind every one that is as far. Several that go on where the others have ended are the
// training itself. Parts of saves are called "weights", too: such a name is a copy only where it is behind.
[[nodiscard]] std::set<std::string> trailing_copies(const std::vector<const Checkpoint*>& complete,
                                                    const Appearances& appearances);

}  // namespace reprise::agent
