// Halves of saves whose names have two numbers that may be the step: "checkpoint_20_0.pt" beside a torn
// "checkpoint_20_1.pt". Pure.
#pragma once

#include <vector>

#include "agent/core/generations/halves/half_saves.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// The number that orders saves is their step, where the save before has the same other numbers, all of them whole.
// A missing one tells something only where both of the last two saves had it, and the parts of each came at nearly the
// same time: "256_1" may be an epoch at a resolution. Of what is clear nothing is told.
[[nodiscard]] std::vector<HalfSave> find_unclear_halves(const Checkpoints& found);

}  // namespace reprise::agent
