#include "rehearsal/verdict/interruptions.h"

#include <algorithm>

#include "rehearsal/verdict/resumption.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;

// True when the checkpoint was written again under its name, and not to the end.
bool torn_later(const AttemptFacts& attempt, const CheckpointFacts& complete) {
  return std::ranges::any_of(attempt.checkpoints, [&](const CheckpointFacts& each) {
    return !each.complete && each.step == complete.step && each.at >= complete.at;
  });
}

void look_at_checkpoints(const JobFacts& job, const AttemptFacts& attempt, InterruptionFacts& seen) {
  for (const CheckpointFacts& each : attempt.checkpoints) {
    if (!each.complete) {
      seen.torn.push_back(each.step);
      continue;
    }
    if (torn_later(attempt, each)) continue;
    seen.step_saved = std::max(seen.step_saved.value_or(each.step), each.step);
    if (each.at < seen.at) {
      seen.step_at_notice = std::max(seen.step_at_notice, each.step);
    } else if (seen.noticed && !seen.save_took && !job.deaf(attempt)) {
      seen.save_took = each.at - seen.at;
    }
  }
}

// Counts the checkpoints of one step: the parts of one save, by ranks or shards.
std::size_t parts_of(const AttemptFacts& attempt, std::int64_t step) {
  return static_cast<std::size_t>(std::ranges::count_if(attempt.checkpoints, [&](const CheckpointFacts& each) {
    return each.complete && !each.older && each.step == step;
  }));
}

// The step of a save after the notice that lacks some parts; empty: there is none.
std::optional<std::int64_t> lacks_parts(const AttemptFacts& attempt, const InterruptionFacts& seen) {
  std::optional<std::size_t> before;  // parts of each save until then, where all have as many
  std::optional<std::int64_t> newest;
  bool alike = true;
  for (const CheckpointFacts& each : attempt.checkpoints) {
    if (each.older) continue;
    if (each.at < seen.at) {
      const std::size_t parts = parts_of(attempt, each.step);
      alike = alike && each.complete && before.value_or(parts) == parts;
      before = parts;
      continue;
    }
    const bool has_others = std::ranges::any_of(attempt.checkpoints, [&](const CheckpointFacts& other) {
      return other.complete && other.step == each.step && other.at >= seen.at;
    });
    if (!each.complete && has_others) return each.step;
    if (each.complete) newest = std::max(newest.value_or(each.step), each.step);
  }
  const bool fewer = newest && alike && before.value_or(0) > 1 && parts_of(attempt, *newest) < *before;
  return fewer ? newest : std::nullopt;
}

// A trainer that went on after it had saved, until it was killed, may have been in any of its later saves.
void look_at_answer(const JobFacts& job, const AttemptFacts& attempt, InterruptionFacts& seen) {
  if (!seen.noticed || job.deaf(attempt)) return;
  if (const auto step = lacks_parts(attempt, seen)) {
    seen.torn_answer = step;
    seen.save_took.reset();
    return;
  }
  const bool killed = std::ranges::any_of(attempt.ranks, &RankFacts::killed);
  if (killed && seen.save_took && seen.step_saved.value_or(0) >= seen.step_at_notice) return;
  for (const CheckpointFacts& each : attempt.checkpoints)
    if (!each.complete && each.at >= seen.at && each.step > seen.step_saved.value_or(-1)) seen.torn_answer = each.step;
  if (seen.torn_answer) seen.save_took.reset();
}

void look_at_end(const JobFacts& job, const AttemptFacts& attempt, InterruptionFacts& seen) {
  const bool other = prints_other_numbers(job);
  const auto printed = [&](std::optional<std::int64_t> RankFacts::*which) {
    std::int64_t furthest = 0;
    for (const RankFacts& rank : attempt.ranks) furthest = std::max(furthest, other ? 0 : (rank.*which).value_or(0));
    return furthest;
  };
  seen.step_at_notice = std::max(began_at(job, seen.attempt), printed(&RankFacts::printed_when_asked));
  look_at_checkpoints(job, attempt, seen);
  look_at_answer(job, attempt, seen);
  seen.step_reached = std::max({seen.step_at_notice, seen.step_saved.value_or(0), printed(&RankFacts::last_printed)});
  for (const std::int64_t step : seen.torn) seen.step_reached = std::max(seen.step_reached, step);
  const bool printed_any =
      std::ranges::any_of(attempt.ranks, [](const RankFacts& each) { return each.last_printed.has_value(); });
  seen.steps_known = seen.save_took || seen.torn_answer || (printed_any && !other);
  seen.nothing_lost =
      seen.step_reached <= seen.step_saved.value_or(began_at(job, seen.attempt)) && !(printed_any && other);
}

void look_at_next(const JobFacts& job, std::size_t index, InterruptionFacts& seen) {
  const AttemptFacts& next = job.attempts[index];
  for (const RankFacts& rank : next.ranks) {
    const Duration after = rank.began - seen.at;
    seen.resumed_after = std::max(seen.resumed_after.value_or(after), after);
  }
  seen.resumption = resumption_of(job, index);
  seen.step_resumed = began_at(job, index);
  // The agent gives the newest whole one: a newer one that it has passed over is a half, perhaps of a rank that saves
  // alone.
  const bool saved_later = std::ranges::any_of(job.attempts[seen.attempt].checkpoints, [&](const auto& each) {
    return each.complete && each.at >= seen.at && each.step == next.resumed_from;
  });
  if (seen.save_took && next.resumed_from && !saved_later && *next.resumed_from < seen.step_saved) {
    seen.torn_answer = seen.step_saved;
    seen.save_took.reset();
  }
}

bool interrupted(const AttemptFacts& attempt) {
  return attempt.disturbed() && !attempt.failed_by_itself();
}

}  // namespace

std::int64_t InterruptionFacts::steps_lost() const {
  return std::max<std::int64_t>(0, step_reached - step_resumed.value_or(step_saved.value_or(step_given)));
}

std::vector<InterruptionFacts> interruptions_of(const JobFacts& job) {
  std::vector<InterruptionFacts> all;
  for (std::size_t i = 0; i < job.attempts.size(); ++i) {
    const AttemptFacts& attempt = job.attempts[i];
    if (!interrupted(attempt) || attempt.ranks.empty()) continue;
    InterruptionFacts seen{.attempt = i, .step_given = attempt.resumed_from.value_or(0)};
    seen.noticed = attempt.asked().has_value();
    seen.at = attempt.asked().value_or(attempt.ranks.front().ended.value_or(Duration{0}));
    look_at_end(job, attempt, seen);
    if (i + 1 < job.attempts.size()) look_at_next(job, i + 1, seen);
    all.push_back(std::move(seen));
  }
  return all;
}

bool was_the_end(const JobFacts& job, const InterruptionFacts& interruption) {
  const std::int64_t reached = interruption.step_reached;
  const auto ended_well = [](const RankFacts& rank) {
    return rank.ended && !rank.killed && (rank.exit_code == 0 || rank.was_shutting_down());
  };
  const auto saved_further = [&](const CheckpointFacts& each) { return !each.older && each.step > reached; };
  const auto printed_further = [&](const RankFacts& each) { return each.last_printed.value_or(0) > reached; };
  for (std::size_t i = interruption.attempt + 1; i < job.attempts.size(); ++i)
    if (std::ranges::any_of(job.attempts[i].checkpoints, saved_further) ||
        std::ranges::any_of(job.attempts[i].ranks, printed_further))
      return false;
  return std::ranges::all_of(job.attempts[interruption.attempt].ranks, ended_well);
}

}  // namespace reprise::rehearsal
