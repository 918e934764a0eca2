#include "rehearsal/verdict/facts.h"

#include <algorithm>
#include <utility>

#include "protocol/agent_protocol.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;

constexpr std::int64_t kFurtherPrints = 5;  // more than are printed before a flag is looked at

bool printed_on(const RankFacts& rank) {
  if (!rank.printed_when_asked || !rank.last_printed || rank.counts_again) return false;
  return *rank.last_printed - *rank.printed_when_asked >= kFurtherPrints * rank.counts_by.value_or(1);
}

// The even distance in steps between complete checkpoints of an attempt; empty: they are not evenly spaced, or too few.
std::optional<std::int64_t> even_distance(const AttemptFacts& attempt) {
  std::vector<std::int64_t> steps;
  for (const CheckpointFacts& each : attempt.checkpoints)
    if (each.complete && !each.older && (steps.empty() || each.step != steps.back())) steps.push_back(each.step);
  if (steps.size() < 3) return std::nullopt;
  const std::int64_t distance = steps[1] - steps[0];
  for (std::size_t i = 2; i < steps.size(); ++i)
    if (steps[i] - steps[i - 1] != distance) return std::nullopt;
  return distance;
}

bool saved_in_turn(const AttemptFacts& attempt, std::int64_t step_printed) {
  const Duration asked = attempt.asked().value_or(Duration{0});
  const auto after = [&](const CheckpointFacts& each) { return each.at >= asked; };
  if (std::ranges::any_of(attempt.checkpoints, [&](const auto& each) { return after(each) && !each.complete; }))
    return false;
  if (std::ranges::none_of(attempt.checkpoints, after)) return true;
  // The first of them has no distance of its own: its number decides.
  const auto distance = even_distance(attempt);
  return distance && *distance > step_printed &&
         std::ranges::find_if(attempt.checkpoints, after)->step % *distance == 0;
}

}  // namespace

std::optional<Duration> AttemptFacts::asked() const {
  std::optional<Duration> first;
  for (const RankFacts& rank : ranks)
    if (rank.asked && (!first || *rank.asked < *first)) first = rank.asked;
  return first;
}

std::optional<Duration> AttemptFacts::disturbed() const {
  std::optional<Duration> first = asked();
  for (const RankFacts& rank : ranks)
    if (rank.vanished && rank.ended) first = std::min(first.value_or(*rank.ended), *rank.ended);
  return first;
}

bool AttemptFacts::failed_by_itself(const RankFacts& rank) const {
  if (!rank.ended || rank.asked || rank.vanished || rank.exit_code == 0 ||
      rank.exit_code == protocol::kCheckpointedExitCode)
    return false;
  const auto from_outside = disturbed();
  return !from_outside || *rank.ended <= *from_outside;
}

bool AttemptFacts::failed_by_itself() const {
  return std::ranges::any_of(ranks, [&](const RankFacts& rank) { return failed_by_itself(rank); });
}

bool AttemptFacts::ignored_sigterm() const {
  if (std::ranges::any_of(ranks, [](const RankFacts& each) { return each.on_term == Disposition::Handled; }))
    return false;
  return std::ranges::any_of(ranks,
                             [](const RankFacts& each) { return each.killed && each.on_term == Disposition::Ignored; });
}

bool AttemptFacts::trained_on() const {
  if (!asked() || !std::ranges::all_of(ranks, &RankFacts::killed)) return false;
  const auto rank = std::ranges::find_if(ranks, printed_on);
  return rank != ranks.end() && saved_in_turn(*this, rank->counts_by.value_or(1));
}

const InitContainerFacts* JobFacts::kept_from_start() const {
  const auto newest = std::ranges::max_element(init_containers, {}, [](const InitContainerFacts& each) {
    return std::pair(each.attempt, each.exit_code.has_value());
  });
  if (newest == init_containers.end()) return nullptr;
  return attempts.empty() || newest->attempt >= attempts.back().number ? &*newest : nullptr;
}

std::optional<Duration> AttemptFacts::ended() const {
  std::optional<Duration> last;
  for (const RankFacts& rank : ranks) {
    if (!rank.ended) return std::nullopt;
    last = std::max(last.value_or(*rank.ended), *rank.ended);
  }
  return last;
}

}  // namespace reprise::rehearsal
