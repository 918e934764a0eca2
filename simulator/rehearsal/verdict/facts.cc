#include "simulator/rehearsal/verdict/facts.h"

#include <algorithm>
#include <utility>

#include "agent/protocol.h"

namespace reprise::simulator {

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
      rank.exit_code == agent::protocol::kCheckpointedExitCode)
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

}  // namespace reprise::simulator
