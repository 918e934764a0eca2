#include "agent/choose_pruned.h"

#include <algorithm>

namespace reprise::agent {

std::vector<std::string> choose_pruned(const PruneQuestion& question) {
  std::vector<std::string> pruned;
  if (!question.durable_step) return pruned;
  const std::int32_t keep = std::max(question.keep, 1);
  const bool all_have_read_it = !question.gang && question.resumed_from < question.durable_step;
  std::int32_t kept = 0;
  for (const Checkpoint& each : question.found) {
    if (!each.complete || each.step > *question.durable_step) continue;
    if (kept < keep) {
      ++kept;
    } else if (each.step != question.resumed_from || all_have_read_it) {
      pruned.push_back(each.name);
    }
  }
  return pruned;
}

}  // namespace reprise::agent
