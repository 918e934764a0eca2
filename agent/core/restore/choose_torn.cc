#include "agent/core/restore/choose_torn.h"

#include <algorithm>

#include "agent/core/generations/outlived.h"

namespace reprise::agent {

std::vector<std::string> choose_torn(const PruneQuestion& question, const Checkpoints& before) {
  std::vector<std::string> torn;
  for (const Checkpoint& each : question.found) {
    const bool left_over = std::find(before.begin(), before.end(), each) != before.end();
    if (each.complete || !left_over || each.step >= question.durable_step) continue;
    if (!made_by(question.job_uid, each.name, question.made)) continue;
    const std::int32_t since = last_attempt_at(each.name, question.made, question.job_uid) + 1;
    if (is_outlived(each.name, since, question)) torn.push_back(each.name);
  }
  return torn;
}

}  // namespace reprise::agent
