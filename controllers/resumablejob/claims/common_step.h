// Ranks with a volume each (access: PerIndex): the step that all of them resume from, and the one that all of them have
// saved since. The operator alone sees the lists of all volumes; it tells the agents by annotations of their pods
// (protocol/common_checkpoint.h). docs/decisions/checkpoints/0087-common-step.md
#pragma once

#include <optional>
#include <vector>

#include "controllers/resumablejob/decide/phases.h"
#include "protocol/common_checkpoint.h"
#include "protocol/record.h"

namespace reprise::controllers::resumablejob {

// The newest checkpoint, in the order of rank 0's volume, that every volume holds complete under one name, and with
// PutAside each can prove; no step where none does. Empty while a rank's list is missing, and where there may be one
// all the same: a list was cut at its bound, or a step is on all volumes under different names.
[[nodiscard]] std::optional<protocol::CommonStep> newest_common_step(
    const std::vector<Rank>& ranks, api::UnprovenCheckpoints unproven = api::UnprovenCheckpoints::PutAside);

// The highest step that every volume holds, and some rank cannot prove; empty where there is none.
[[nodiscard]] std::optional<std::int64_t> unproven_on_all(const std::vector<Rank>& ranks);

// True when two ranks with a volume each tell of one save: the same step, under names that are alike but for the ranks.
[[nodiscard]] bool is_one_save(const protocol::Record& a, const protocol::Record& b);

// Tells every rank which step to resume from, once that is known; the first that was told so decides for all.
void agree_on_step(PlanBuilder& builder, const std::vector<Rank>& ranks);

// Says why a person has to see whether the ranks, which have all listed, have a step in common; empty: nobody has to.
// The attempt ends then, for none of its trainers can begin.
[[nodiscard]] std::string why_no_step_is_common(const Observation& seen, const std::vector<Rank>& ranks);

// Tells every rank which step all have saved meanwhile, as they report: older ones may go from then on.
void move_common_step(PlanBuilder& builder, const std::vector<Rank>& ranks);

}  // namespace reprise::controllers::resumablejob
