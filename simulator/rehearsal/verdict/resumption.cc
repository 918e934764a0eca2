#include "simulator/rehearsal/verdict/resumption.h"

#include <algorithm>

namespace reprise::simulator {
namespace {

// Nobody trains so much faster than the attempt before: start-up and other load differ by less.
constexpr double kFaster = 1.5;

// From the start of the attempt to each of its checkpoints: the highest, in steps a millisecond.
double pace(const AttemptFacts& attempt) {
  double best = 0;
  if (attempt.ranks.empty()) return best;
  const Duration began = std::ranges::max(attempt.ranks, {}, &RankFacts::began).began;
  for (const CheckpointFacts& each : attempt.checkpoints)
    if (each.complete && each.at > began)
      best = std::max(best, static_cast<double>(each.step) / static_cast<double>((each.at - began).count()));
  return best;
}

double pace_from_zero(const JobFacts& job) {
  double best = 0;
  for (const AttemptFacts& each : job.attempts)
    if (!each.resumed_from) best = std::max(best, pace(each));
  return best;
}

const RankFacts* counting_from_zero(const AttemptFacts& attempt) {
  const auto found =
      std::ranges::find_if(attempt.ranks, [](const RankFacts& each) { return each.counts_by.has_value(); });
  return found == attempt.ranks.end() ? nullptr : &*found;
}

bool wrote_earlier(const AttemptFacts& attempt) {
  return std::ranges::any_of(attempt.checkpoints,
                             [&](const auto& each) { return each.complete && each.step < *attempt.resumed_from; });
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
  const double from_zero = pace_from_zero(job);
  return from_zero > 0 && pace(attempt) > kFaster * from_zero ? Resumption::Shown : Resumption::NotShown;
}

}  // namespace reprise::simulator
