// Saves that lack a file which nothing but the saves before says to belong to them: beside a checkpoint or in a
// library's directory (HeldPieces). Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/core/generations/halves/half_saves.h"
#include "agent/core/generations/halves/known_saves.h"

namespace reprise::agent {

// By its ending, or by a word in its path: a training goes on from it. "notes/300.json" is for people.
[[nodiscard]] bool may_be_needed(const StateFiles& files);

// Kinds of pieces that two saves at least have brought (StateFiles::kind).
[[nodiscard]] std::set<std::string> kinds_that_saves_bring(const KnownParts& known);

// The halves of known_saves.h but for those that answered a stop (MadeCheckpoint::answered): a trainer that is asked to
// stop may leave out what it writes at its other saves, and it ended by itself. With them the saves that lack a kind of
// piece which each before them brought, two at least. Of these nothing shows a tear: they are not resumed from, and
// stay where they are (HalfSave::is_over).
[[nodiscard]] std::vector<HalfSave> find_halves_with_pieces(const Checkpoints& found, const MadeCheckpoints& made,
                                                            Holds holds, const KnownParts& known);

}  // namespace reprise::agent
