// A generation is all that the save of one step has written: all parts, of all ranks, wherever they lie. It is deleted
// whole or not at all. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {

struct Generation {
  struct Part {
    std::string name;  // name of the checkpoint, its path below the root
    SaveName says;
    bool complete = false;
    std::int32_t attempt = 0;  // the last attempt that made it
    bool doubtful = false;     // own_places.h: it counts, and is not deleted
    HeldState state{};
    HeldPieces pieces{};
  };
  std::int64_t step = 0;
  std::vector<Part> parts;  // in the order in which they were found

  [[nodiscard]] bool is_complete() const;
};

struct Generations {
  std::vector<Generation> known;     // the highest step first
  std::vector<std::string> unclear;  // names that do not say of which save they are
};

// Generations that trainers of that job have made; with Doubtful::Count also complete parts that may be theirs, beside
// others that are.
enum class Doubtful { Leave, Count };
[[nodiscard]] Generations group_by_save(const Checkpoints& found, const MadeCheckpoints& made,
                                        const std::string& job_uid, Doubtful doubtful = Doubtful::Leave);

// True if `newer` has each part that `older` has, with all of its state files (halves/lacking_state.h), and a file of
// each kind that the whole save brought beside it or in it (HeldPieces). Directories of a later attempt may bear other
// numbers ("version_1"), as long as there are as many parts in them.
[[nodiscard]] bool has_parts_of(const Generation& newer, const Generation& older);

// True if it has any of them.
[[nodiscard]] bool has_any_part_of(const Generation& newer, const Generation& older);
// A part that it has not; empty: it has all, but fewer of one attempt.
[[nodiscard]] std::string lacking_part(const Generation& newer, const Generation& older);

}  // namespace reprise::agent
