// Complete checkpoints that an attempt has put aside, since nothing proves that they are on the storage: the job says
// so once, and from then on expects what the attempt resumes from.
// (docs/decisions/checkpoints/0108-expected-checkpoint.md)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controllers/resumablejob/decide/phases.h"

namespace reprise::controllers::resumablejob {

struct PutAside {
  std::int64_t checkpoints = 0, step = 0;      // how many; the highest step of them
  std::optional<std::int64_t> resumed_from{};  // instead; empty: none, or not told
};

// Takes over the records and reports of an attempt whose ranks decide it by themselves. Called before the records are
// taken over, for which the expectation counts.
void take_unproven(PlanBuilder& builder, const std::vector<Rank>& ranks);

// `place`: where they lie, for people.
void follow_proof(PlanBuilder& builder, const PutAside& aside, const std::vector<Rank>& ranks,
                  const std::string& place);

}  // namespace reprise::controllers::resumablejob
