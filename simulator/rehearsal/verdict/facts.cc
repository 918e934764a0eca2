#include "simulator/rehearsal/verdict/facts.h"

#include <algorithm>

namespace reprise::simulator {

std::optional<Duration> AttemptFacts::asked() const {
  std::optional<Duration> first;
  for (const RankFacts& rank : ranks)
    if (rank.asked && (!first || *rank.asked < *first)) first = rank.asked;
  return first;
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
