#include "rehearsal/verdict/resumption.h"

#include <algorithm>

namespace reprise::rehearsal {
namespace {

// Load and noise change the pace of a trainer by less than this factor.
constexpr double kFaster = 1.5;
constexpr std::int64_t kOffByOne = 2;  // for trainers that count from 0, or print the step they have loaded

// The highest pace between two checkpoints of an attempt, in steps a millisecond: free of the time that a start takes.
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

// The newest complete checkpoint below the one that it was given; 0: there was none.
std::int64_t next_lower(const JobFacts& job, std::size_t index) {
  std::int64_t lower = 0;
  for (std::size_t i = 0; i < index; ++i)
    for (const CheckpointFacts& each : job.attempts[i].checkpoints)
      if (each.complete && each.step < *job.attempts[index].resumed_from) lower = std::max(lower, each.step);
  return lower;
}

// True when the attempt wrote a checkpoint that is further on than it could have come from `lower`. The one it was
// given, written again, may bear that number for no other reason than its name.
bool came_too_far_for(std::int64_t lower, const JobFacts& job, const AttemptFacts& attempt) {
  const double pace = pace_of(job);
  if (pace <= 0 || attempt.ranks.empty()) return false;
  const runtime::Duration began = std::ranges::max(attempt.ranks, {}, &RankFacts::began).began;
  return std::ranges::any_of(attempt.checkpoints, [&](const CheckpointFacts& each) {
    return each.complete && each.at > began && each.step > *attempt.resumed_from &&
           static_cast<double>(each.step - lower) > kFaster * pace * static_cast<double>((each.at - began).count());
  });
}

const RankFacts* counting(const AttemptFacts& attempt) {
  const auto found =
      std::ranges::find_if(attempt.ranks, [](const RankFacts& each) { return each.counts_from && each.counts_by; });
  return found == attempt.ranks.end() ? nullptr : &*found;
}

bool from_the_start(const RankFacts& rank) {
  return *rank.counts_from <= *rank.counts_by;
}

// Compares the numbers of complete checkpoints with the last printed number when they came.
struct Numbered {
  int as_printed = 0, beyond = 0;
  int behind = 0;  // far behind: it prints something else than steps
};

void add_numbered(const AttemptFacts& attempt, std::int64_t slack, Numbered& seen) {
  for (const CheckpointFacts& each : attempt.checkpoints) {
    if (!each.complete || each.older || !each.printed) continue;
    const bool behind = each.step * 2 < *each.printed;
    ++(behind ? seen.behind : each.step <= *each.printed + slack ? seen.as_printed : seen.beyond);
  }
}

// True when checkpoints are named by the printed steps, in the attempts up to that one.
bool prints_what_it_saves(const JobFacts& job, std::size_t index, std::int64_t slack) {
  Numbered seen;
  for (std::size_t i = 0; i <= index; ++i) {
    if (std::ranges::any_of(job.attempts[i].ranks, &RankFacts::counts_again)) return false;
    add_numbered(job.attempts[i], slack, seen);
  }
  return seen.as_printed > seen.behind && seen.beyond == 0;
}

// True when, by its printed steps, the attempt did not go on from the checkpoint that it was given.
bool counts_from_earlier(const JobFacts& job, std::size_t index) {
  const AttemptFacts& attempt = job.attempts[index];
  const RankFacts* rank = counting(attempt);
  if (rank == nullptr || *rank->counts_from + kOffByOne >= *attempt.resumed_from) return false;
  if (!prints_what_it_saves(job, index, *rank->counts_by)) return false;
  if (!from_the_start(*rank)) return true;
  // The trainer may count the steps of this start alone: its checkpoints decide.
  Numbered own;
  add_numbered(attempt, *rank->counts_by, own);
  return own.as_printed > 0;
}

// True when the printed steps go on from a checkpoint before the one that it was given. On a busy machine output
// comes later than the checkpoint of that step, so that the numbers of checkpoints tell less.
bool counts_on_from_earlier(const JobFacts& job, std::size_t index) {
  const AttemptFacts& attempt = job.attempts[index];
  const RankFacts* rank = counting(attempt);
  if (rank == nullptr) return false;
  const auto goes_on_from = [&](const CheckpointFacts& each) {
    return each.complete && each.step > 0 && each.step < *attempt.resumed_from && *rank->counts_from >= each.step &&
           *rank->counts_from <= each.step + *rank->counts_by + kOffByOne;
  };
  return std::any_of(job.attempts.begin(), job.attempts.begin() + static_cast<std::ptrdiff_t>(index),
                     [&](const AttemptFacts& each) { return std::ranges::any_of(each.checkpoints, goes_on_from); });
}

// True when its checkpoints bear higher numbers than the steps that it counts from its start: by the step that it was
// given.
bool counts_beyond(const AttemptFacts& attempt, std::int64_t lower) {
  const RankFacts* rank = counting(attempt);
  if (rank == nullptr || !from_the_start(*rank)) return false;
  const std::int64_t given = *attempt.resumed_from;
  return std::ranges::any_of(attempt.checkpoints, [&](const CheckpointFacts& each) {
    if (!each.complete || each.older || !each.printed || each.step <= *each.printed + *rank->counts_by) return false;
    const std::int64_t base = each.step - *each.printed;
    return given - base < base - lower;
  });
}

bool printed_further_on(const AttemptFacts& attempt, std::int64_t lower) {
  const std::int64_t given = *attempt.resumed_from;
  return std::ranges::any_of(attempt.ranks, [&](const RankFacts& each) {
    // A trainer may name the step it has loaded, or the one it does next. One that prints rarely may print as much from
    // another checkpoint.
    if (each.counts_from && each.counts_by)
      return *each.counts_from >= given && *each.counts_from > lower + *each.counts_by;
    return each.first_printed && *each.first_printed >= given &&
           each.last_printed.value_or(*each.first_printed) > given;
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
  const AttemptFacts& attempt = job.attempts[index];
  if (attempt.resumed_from.value_or(0) <= 0) return Resumption::NothingGiven;
  if (counts_from_earlier(job, index))
    return from_the_start(*counting(attempt)) ? Resumption::StartedOver : Resumption::WentBack;
  if (wrote_earlier(attempt))
    return counts_on_from_earlier(job, index) ? Resumption::WentBack : Resumption::StartedOver;
  const std::int64_t lower = next_lower(job, index);
  if (counts_beyond(attempt, lower) || printed_further_on(attempt, lower)) return Resumption::Shown;
  return came_too_far_for(lower, job, attempt) ? Resumption::Shown : Resumption::NotShown;
}

bool prints_other_numbers(const JobFacts& job) {
  Numbered seen;
  for (const AttemptFacts& attempt : job.attempts) {
    if (std::ranges::any_of(attempt.ranks, &RankFacts::counts_again)) return true;
    const RankFacts* rank = counting(attempt);
    add_numbered(attempt, rank == nullptr ? 1 : *rank->counts_by, seen);
  }
  return seen.beyond + seen.behind > seen.as_printed;
}

std::int64_t began_at(const JobFacts& job, std::size_t index) {
  const AttemptFacts& attempt = job.attempts[index];
  const Resumption how = resumption_of(job, index);
  if (how != Resumption::StartedOver && how != Resumption::WentBack) return attempt.resumed_from.value_or(0);
  const RankFacts* rank = counting(attempt);
  if (rank == nullptr) return 0;
  return std::max<std::int64_t>(*rank->counts_from - *rank->counts_by, 0);
}

}  // namespace reprise::rehearsal
