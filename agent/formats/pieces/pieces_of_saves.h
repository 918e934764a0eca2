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
#include "agent/formats/pieces/begun_attempts.h"
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

// The pieces of each of `saves`, in their order. Of several saves of one step, the nearest to a piece has it.
//   - A kind of file may belong to saves where none of it was there before the save in front of its own was over (data
//     was there all along), and where it does not run ahead of them (kinds_in_time.h; `newest_step`: of all that is
//     there, also torn). Only saves that lie where the newest one does count: a copy bears the time at which it was
//     made.
//   - A kind does belong to saves (StateFiles::came_with_save) where one came behind that, or behind its own
//   checkpoint.
//     A save that is alone and came behind its piece shows nothing.
//   - `expected` kinds came with known saves. Neither rule makes data of them: a trainer that writes in the background
//     may be late once. They lose came_with_save when most of what is there was early.
//   - A kind that holds nothing of a training by its ending, and came more than a minute behind its save, may be an
//     evaluation.
//   - What is older than the attempt that made the save is of another life of its step (kinds_in_time.h).
//   - A torn piece is not there (HeldPieces::torn), nor is one that is cut off by its length among others. A kind of
//   which one came after the next save belongs to nobody's save,
//     unless it is expected.
// For `keep` the newest piece is not there either while somebody may be writing it: it is shorter at all than one
// before it (two others, and much of it missing, are needed to condemn a save by that); or none before it has as many
// files, since those of a larger gang may still come; or an attempt before a roll back may have left it. A kind that
// may be left over or run ahead counts for `keep` alone.
[[nodiscard]] std::vector<HeldPieces> pieces_of_saves(const std::vector<SavedAt>& saves,
                                                      const std::vector<LooseFile>& loose, std::int64_t newest_step,
                                                      const std::set<std::string>& expected = {},
                                                      const BegunAttempts& attempts = {});

}  // namespace reprise::agent
