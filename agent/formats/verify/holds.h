// The parts that a volume holds: those of all ranks, or of one of them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace reprise::agent {

// Ranks with a volume each write a part of each save there: how many a name speaks of says nothing of that one.
enum class Holds { AllRanks, OneRank };

struct HeldParts {
  std::int64_t volumes = 1;    // over which the parts of a save are spread; 1: all are here
  std::int64_t processes = 0;  // most processes that a pod runs, one on each of its GPUs; 0: not known

  // How many of so many parts, as evenly spread as processes over pods are, have to be here.
  [[nodiscard]] std::int64_t of(std::int64_t parts) const {
    if (volumes <= 1) return parts;
    const std::int64_t here = std::max<std::int64_t>(1, parts / volumes);
    return processes > 0 ? std::min(here, processes) : here;
  }
  // How many of the parts that the processes of each pod write together. They are more than a pod has only where they
  // go beyond it.
  [[nodiscard]] std::int64_t of_each_pod(std::int64_t parts) const {
    return volumes > 1 && processes > 0 ? std::min(parts, processes) : parts;
  }
};

}  // namespace reprise::agent
