#include "controllers/resumablejob/ends/silent_end.h"

#include <algorithm>
#include <array>

#include "controllers/resumablejob/status/told_checkpoint.h"
#include "protocol/far_from_end.h"

namespace reprise::controllers::resumablejob {
namespace {

constexpr std::string_view kEndedShort = "EndedShort", kNothingTrained = "NothingTrained";
constexpr std::string_view kAllEnded = "all ranks ended with exit code 0";

bool ended_short(const Rank& rank) {
  if (!rank.record || !rank.record->told_step || !rank.record->total_steps) return false;
  const std::int64_t step = *rank.record->told_step, total = *rank.record->total_steps;
  return step >= 0 && total > step && protocol::is_far_from_end(step, total);
}

// No rank saved anything beyond what it was given, or says that it came further, and no attempt before did.
bool trained_nothing(const Observation& seen, const std::vector<Rank>& ranks) {
  if (seen.job->status.trained_seconds.value_or(0) > 0) return false;
  return !ranks.empty() && std::ranges::all_of(ranks, [&](const Rank& rank) {
    if (!rank.record || !rank.record->resumed_from) return false;
    const std::int64_t given = *rank.record->resumed_from;
    return !has_saved(seen, seen.job->status, ranks, rank) && rank.record->told_step.value_or(given) <= given;
  });
}

// No rank has printed a step or knows of a checkpoint, and the job never had one.
bool showed_nothing(const Observation& seen, const std::vector<Rank>& ranks) {
  if (seen.job->status.checkpoint || seen.job->status.trained_seconds.value_or(0) > 0) return false;
  return !ranks.empty() && std::ranges::all_of(ranks, [](const Rank& rank) {
    return rank.record && !rank.record->step && !rank.record->told_step && !rank.record->resumed_from;
  });
}

}  // namespace

bool is_doubtful(std::string_view reason) {
  return std::ranges::any_of(std::to_array({kEndedShort, kNothingTrained}),
                             [&](std::string_view each) { return each == reason; });
}

SilentEnd how_it_completed(const Observation& seen, const std::vector<Rank>& ranks) {
  SilentEnd end{.message = std::string(kAllEnded)};
  if (const auto rank = std::ranges::find_if(ranks, ended_short); rank != ranks.end()) {
    end.reason = kEndedShort;
    end.message += ", and rank " + std::to_string(rank->memory.index) + " had printed step " +
                   std::to_string(*rank->record->told_step) + " of " + std::to_string(*rank->record->total_steps) +
                   ": see whether a shell around the trainer swallows its code";
  } else if (trained_nothing(seen, ranks)) {
    end.reason = kNothingTrained;
    end.message += ", and none saved anything beyond step " + std::to_string(*ranks.front().record->resumed_from) +
                   ", which was on the volume before: train further, from another volume, or with spec.resume "
                   "FromScratch";
  } else if (showed_nothing(seen, ranks)) {
    end.reason = kNothingTrained;
    end.message +=
        ", and none printed a step or saved a checkpoint: see whether the trainer ran at all, and whether it "
        "saves below spec.checkpoint.path";
  }
  return end;
}

}  // namespace reprise::controllers::resumablejob
