// Saves of which parts are missing or torn: what is whole of one is a half, and counts as torn. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"
#include "agent/formats/verify/holds.h"

namespace reprise::agent {

struct HalfSave {
  std::int64_t step = 0;
  std::vector<std::string> halves;  // whole themselves; names of checkpoints
  std::vector<std::string> lacks;   // torn ones of the same save, and of missing ones the names in the save before it
  // True if nothing shows that it was cut off: it lacks files of its state alone, and has a mark or a list of all that
  // it holds, or its attempt has saved again since, of one process also where it lacks a part; or it has such a mark,
  // and lacks what only other words have; or no name says its step, or a neighbour may have made what it lacks.
  bool is_over = false;
  // A part is torn, or one of a rank is missing: whoever ended by itself has not left it so.
  bool is_cut_off = false;
};

// The highest step first. A save is held against the newest whole one with a lower step that has a part in common with
// it:
// - what differs from a part that is there by the number of a rank or shard alone has to be there again, and is half
//   of a save where it is torn, whatever was before;
// - a name that says how many there are ("00001-of-00004") has so many beside it;
// - of the first save with parts by ranks ("rank0/step-60") there is one of each pod of the attempt that made it, and
// of
//   processes none is missing between others; until the same is saved once more without them;
// - what differs by another number ("trainer-1"), or by words that say what a training's state consists of ("model",
//   "optim"), or lies in the same directory, or is torn here, has to be there again, and so has anything else that both
//   of the last two whole saves have: where each save was over before the next one began, and had it since it came for
//   the first time. Trainings beside each other are not one;
// - the state files in a directory that no library judges, and those beside a single file, have to be there again
//   (lacking_state.h), unless they come and go while a trainer goes on.
// Nor does it have to be there where it was saved twice since without the part: each goes at its own pace.
// Directories of ranks that are whole in no save lack a mark by intention, perhaps, where there are two saves.
// Copies for a metric or for people ("best", "eval", "val_loss=0.25") never have to be.
// Other places of a save are no parts of it (places_of_saves.h).
// A gang may shrink: what one later attempt has saved twice in a row with the same parts, or anybody three times, is
// whole, and so is what has the parts of all ranks of a later and smaller attempt (smaller_gang.h). Of ranks of a gang
// that is known to be as large it takes five, and of one that has grown three.
// Names that say no step are held together by the number behind an unknown word (unclear_words.h).
// Told by names alone, so by nobody whose look was cut short.
[[nodiscard]] std::vector<HalfSave> find_half_saves(const Checkpoints& found, const MadeCheckpoints& made,
                                                    Holds holds = Holds::AllRanks);

// The halves of them are complete no more.
void demote(Checkpoints& found, const std::vector<HalfSave>& halves);

// Names of the halves, with what they lack.
[[nodiscard]] std::set<std::string> names_in(const std::vector<HalfSave>& halves);

// Names of saves that were over (HalfSave): they stay where they are.
[[nodiscard]] std::set<std::string> names_of_those_over(const std::vector<HalfSave>& halves);

// Text for people, of saves that are newer than that one; empty: there are none.
[[nodiscard]] std::string say_halves(const std::vector<HalfSave>& halves, const std::optional<Checkpoint>& newest);

}  // namespace reprise::agent
