// One save in two places: trainers move their former save into "archive/", and copy some to "milestones/". Pure.
#pragma once

#include <string_view>

#include "agent/core/generations/halves/gangs/saves_by_share.h"

namespace reprise::agent {

// Both bear one name, in two directories. They are no parts of one save where one path goes through a directory more
// ("rank0/step_400", "archive/rank0/step_400"), or where both were written at the same moment, as what is moved or
// copied with its times was, and a word says so ("keep/step_400"): two marks that are written one after the other may
// bear one time, too, since clocks tick. Directories that tell ranks apart, or words for a training's state
// ("step_400", "optim/step_400"), are of parts.
[[nodiscard]] bool are_places_of_one(const Share& one, const Share& other);

// True by their times and by a word ("archive/"). By their times alone it is not known.
[[nodiscard]] bool may_be_copied_with_times(const Share& share, const Share& of);

// True by their families: the path goes through a directory more than that of the other one.
[[nodiscard]] bool is_former_place(std::string_view family, std::string_view of);

// Leaves out copies that lie in places of that kind, by a word, and bear the times of a save that is, or was, in the
// place where it was saved. The person or program that moved it there, and the gang for which it did so, tell nothing
// of the save.
void leave_out_former_places(Save& save);

}  // namespace reprise::agent
