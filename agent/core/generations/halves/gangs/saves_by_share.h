// The contents of each save in each place, to hold saves against each other. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/generations/halves/lacking_state.h"
#include "agent/core/generations/halves/words/words_of_parts.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// The contents of one save in one place.
struct Share {
  std::string family;
  std::vector<std::string> names;  // names of the whole ones, or else of torn ones
  bool complete = false;
  bool is_torn_file_of_a_format = false;
  bool says_it_ended = false;  // by a mark, or a list of all that it has
  bool has_metric = false;
  std::optional<std::int64_t> of_several{};  // number of parts by its name, "00001-of-00004"
  runtime::WallTime time{};
  std::int64_t attempt = 0;  // attempt that made it, as of the save
  GangSize gang{};           // gang of that attempt
  bool doubtful = false;     // own_places.h
  Words words{};
  StateKinds state{};  // in it, or beside it
};

struct Save {
  std::int64_t step = 0;
  std::int64_t attempt = 0;  // attempt that made the last of it, counted over all jobs of the volume; 0: nobody saw it
  GangSize gang{};           // gang of that attempt
  std::map<std::string, Share> shares;

  [[nodiscard]] std::int64_t count(const std::string& family) const {
    return std::ranges::count_if(
        shares, [&](const auto& each) { return each.second.complete && each.second.family == family; });
  }
  // Shares that an earlier attempt has left at this step are no part of it.
  [[nodiscard]] std::int64_t count_of_its_attempt(const std::string& family) const {
    return std::ranges::count_if(shares, [&](const auto& each) {
      const Share& share = each.second;
      return share.complete && share.family == family && share.attempt == attempt;
    });
  }
  [[nodiscard]] const Share* find(const std::string& share) const {
    const auto found = shares.find(share);
    return found == shares.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const Share* whole(const std::string& share) const {
    const Share* found = find(share);
    return found != nullptr && found->complete ? found : nullptr;
  }
};
using Saves = std::vector<Save>;  // the lowest step first

// True for a copy of the share that is saved beside it. Other ranks' saves are no copies, though a metric is in their
// names: it is in that of each of them (NeMo's "mp_rank_01/").
[[nodiscard]] bool is_copy(const Share& share, const Share& beside);
[[nodiscard]] bool differ_by_state(const Share& one, const Share& other);

// True if they lie in one directory, or in such as are called alike but for words for a state ("ckpt/_actor/",
// "ckpt/_critic/").
[[nodiscard]] bool lie_beside(const Share& one, const Share& other);
[[nodiscard]] bool lie_in_directories_alike(const Share& one, const Share& other);

// The number by which saves are put together.
enum class StepsBy {
  Names,         // the step that the name says
  UnknownWords,  // number in names that say no step (unclear_words.h)
};

// The saves of `found` with such a number. A neighbour's save under another number of a rank, beside a training of one
// process, is left out (own_places.h), but for what came with its first save (late_ranks.h).
[[nodiscard]] Saves saves_in(const Checkpoints& found, const MadeCheckpoints& made, StepsBy steps_by = StepsBy::Names);

}  // namespace reprise::agent
