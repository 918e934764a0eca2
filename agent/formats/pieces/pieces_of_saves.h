// Which loose files belong to which save: those of a kind of which each save brings one, with the number of its step.
// No name says that "replay_buffer_300.npz" is of "checkpoint-300.pt"; that it comes with it each time does. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/checkpoint.h"
#include "agent/formats/pieces/loose_file.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// A whole checkpoint.
struct SavedAt {
  std::string path;
  std::int64_t step = 0;
  runtime::WallTime completed{};
};

// Of names with the numbers of both ("epoch=3-step=300.ckpt") the step of each epoch that one save alone bears.
using StepsByEpoch = std::map<std::int64_t, std::int64_t>;
[[nodiscard]] StepsByEpoch steps_by_epoch(const std::vector<SavedAt>& saves);

// As numbers_in_path(), with the step in place of an epoch that is none of `steps` itself ("sampler_epoch3").
[[nodiscard]] std::vector<NumberInPath> numbers_of_piece(std::string_view path, const std::set<std::int64_t>& steps,
                                                         const StepsByEpoch& by_epoch);

// Of each of `saves` the pieces, in their order; of several of one step the one has a piece that lies nearest to it.
// A kind of file may belong to saves where none of it was there before the save in front of its own was over (what was
// there all along is data; asked of the saves that lie where the newest one does, since a copy elsewhere bears the time
// at which it was made), and where it is not numbered beyond the saves by more than one (`newest_step`: of all that is
// there, also of torn ones). It does where one came behind that or behind its own checkpoint
// (StateFiles::came_with_save); of a save that is alone and came behind its piece nothing shows it.
// What holds nothing of a training by its ending and came more than a minute behind its save may be an evaluation.
// What is torn is not there. Nor is, for `keep`, the newest of its kind where it is shorter than all others of as many
// files, which are all as long as each other, and does not say itself where it ends: somebody may be writing it. To
// condemn a save by that takes two others. For `keep` the newest one is not there either where no other has as many
// files: those of a larger gang may still come. Who came only after the next save is of nobody's save, so that no save
// is condemned for it.
[[nodiscard]] std::vector<HeldPieces> pieces_of_saves(const std::vector<SavedAt>& saves,
                                                      const std::vector<LooseFile>& loose, std::int64_t newest_step);

}  // namespace reprise::agent
