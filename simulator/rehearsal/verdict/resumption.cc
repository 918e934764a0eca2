#include "simulator/rehearsal/verdict/resumption.h"

#include <algorithm>

namespace reprise::simulator {
namespace {

// Load and noise change the pace of a trainer by less.
constexpr double kFaster = 1.5;

// The highest between two checkpoints of an attempt, in steps a millisecond: free of what a start takes.
double pace_of(const JobFacts& job) {
  double best = 0;
  for (const AttemptFacts& attempt : job.attempts) {
    const CheckpointFacts* before = nullptr;
    for (const CheckpointFacts& each : attempt.checkpoints) {
      if (!each.complete) continue;
      if (before != nullptr && each.at > before->at)
        best = std::max(
            best, static_cast<double>(each.step - before->step) / static_cast<double>((each.at - before->at).count()));
      before = &each;
    }
  }
  return best;
}

// It wrote a checkpoint that is further on than it could have come from zero. The one it was given, written again, may
// bear that number for no other reason than its name.
bool came_too_far_for_zero(const JobFacts& job, const AttemptFacts& attempt) {
  const double pace = pace_of(job);
  if (pace <= 0 || attempt.ranks.empty()) return false;
  const Duration began = std::ranges::max(attempt.ranks, {}, &RankFacts::began).began;
  return std::ranges::any_of(attempt.checkpoints, [&](const CheckpointFacts& each) {
    return each.complete && each.at > began && each.step > *attempt.resumed_from &&
           static_cast<double>(each.step) > kFaster * pace * static_cast<double>((each.at - began).count());
  });
}

const RankFacts* counting_from_zero(const AttemptFacts& attempt) {
  const auto found =
      std::ranges::find_if(attempt.ranks, [](const RankFacts& each) { return each.counts_by.has_value(); });
  return found == attempt.ranks.end() ? nullptr : &*found;
}

// Complete checkpoints whose number was printed when they came, and others.
struct Numbered {
  int as_printed = 0, beyond = 0;
};

Numbered numbered(const AttemptFacts& attempt, std::int64_t counts_by) {
  Numbered seen;
  for (const CheckpointFacts& each : attempt.checkpoints)
    if (each.complete && each.printed) ++(each.step <= *each.printed + counts_by ? seen.as_printed : seen.beyond);
  return seen;
}

bool printed_further_on(const AttemptFacts& attempt) {
  return std::ranges::any_of(attempt.ranks, [&](const RankFacts& each) {
    // A trainer may name the step it has loaded, or the one it does next. Who prints rarely may say as much from zero.
    return each.first_printed && *each.first_printed >= *attempt.resumed_from && !each.counts_by;
  });
}

}  // namespace

std::optional<std::int64_t> wrote_earlier(const AttemptFacts& attempt) {
  const auto found = std::ranges::find_if(attempt.checkpoints, [&](const CheckpointFacts& each) {
    return each.complete && !each.older && each.step > 0 && each.step < attempt.resumed_from.value_or(0);
  });
  return found == attempt.checkpoints.end() ? std::nullopt : std::optional(found->step);
}

Resumption resumption_of(const JobFacts& job, std::size_t index) {
  constexpr std::int64_t kRun = 3;
  const AttemptFacts& attempt = job.attempts[index];
  if (attempt.resumed_from.value_or(0) <= 0) return Resumption::NothingGiven;
  if (wrote_earlier(attempt)) return Resumption::StartedOver;
  if (const RankFacts* rank = counting_from_zero(attempt)) {
    const Numbered seen = numbered(attempt, *rank->counts_by);
    const bool many = *rank->first_printed + (kRun - 1) * *rank->counts_by < *attempt.resumed_from;
    if (many && seen.as_printed > 0 && seen.beyond == 0) return Resumption::StartedOver;
    if (seen.beyond > 0) return Resumption::Shown;
  }
  if (printed_further_on(attempt)) return Resumption::Shown;
  return came_too_far_for_zero(job, attempt) ? Resumption::Shown : Resumption::NotShown;
}

}  // namespace reprise::simulator
