#include "agent/core/choose_pruned.h"

#include <algorithm>

#include "agent/core/checkpoint_order.h"

namespace reprise::agent {
namespace {

// Where that step is not here any more, what all have in common next is not known.
std::vector<std::string> older_than_step_of_all(const PruneQuestion& question, const std::vector<std::string>& pruned) {
  std::vector<std::string> older;
  bool passed = false;
  for (const Checkpoint& each : question.found) {
    const bool goes = std::ranges::find(pruned, each.name) != pruned.end();
    if (passed && goes && each.step < *question.step_of_all) older.push_back(each.name);
    passed = passed || (each.complete && each.step == question.step_of_all);
  }
  return older;
}

}  // namespace

std::vector<std::string> choose_pruned(const PruneQuestion& question) {
  std::vector<std::string> pruned;
  if (!question.keep) return pruned;
  if (!question.durable_step || !out_of_order(question.found, question.made, question.job_uid).empty()) return pruned;
  const std::int32_t keep = std::max(*question.keep, 1);
  const bool all_have_read_it = !question.gang && question.resumed_from < question.durable_step;
  std::int32_t kept = 0;
  for (const Checkpoint& each : question.found) {
    if (!each.complete || each.step > *question.durable_step || may_be_none(each, question.made)) continue;
    if (kept < keep) {
      ++kept;
    } else if (each.step != question.resumed_from || all_have_read_it) {
      if (made_by(question.job_uid, each.name, question.made)) pruned.push_back(each.name);
    }
  }
  if (question.agrees_on_step) return older_than_step_of_all(question, pruned);
  return pruned;
}

bool outlives_torn(const Checkpoint& durable, const Checkpoints& before) {
  return std::find(before.begin(), before.end(), durable) == before.end();
}

std::vector<std::string> choose_torn(const PruneQuestion& question, const Checkpoints& before) {
  std::vector<std::string> torn;
  for (const Checkpoint& each : question.found) {
    const bool left_over = std::find(before.begin(), before.end(), each) != before.end();
    if (each.complete || !left_over || each.step >= question.durable_step) continue;
    if (made_by(question.job_uid, each.name, question.made)) torn.push_back(each.name);
  }
  return torn;
}

}  // namespace reprise::agent
