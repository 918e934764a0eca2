#include "agent/core/generations/plan_pruning.h"

#include <algorithm>

#include "agent/core/checkpoint_order.h"

namespace reprise::agent {
namespace {

std::int32_t newer_ones_than(const Generation& older, const std::vector<Generation>& all,
                             const PruneQuestion& question) {
  return static_cast<std::int32_t>(std::ranges::count_if(all, [&](const Generation& newer) {
    return newer.step > older.step && newer.step <= *question.durable_step && is_proven(newer, question) &&
           has_parts_of(newer, older);
  }));
}

// Where that step is not here any more, what all have in common next is not known.
bool may_be_common(const Generation& generation, const PruneQuestion& question) {
  if (!question.agrees_on_step) return false;
  const bool is_here = std::ranges::any_of(
      question.found, [&](const Checkpoint& each) { return each.complete && each.step == question.step_of_all; });
  return !is_here || generation.step >= *question.step_of_all;
}

bool is_resumed_from(const Generation& generation, const PruneQuestion& question) {
  const bool all_have_read_it = !question.gang && question.resumed_from < question.durable_step;
  return generation.step == question.resumed_from && !all_have_read_it;
}

}  // namespace

bool is_proven(const Generation& generation, const PruneQuestion& question) {
  return generation.is_complete() && std::ranges::none_of(generation.parts, [&](const auto& each) {
           return question.unproven.contains(each.name);
         });
}

PruningPlan plan_pruning(const PruneQuestion& question) {
  PruningPlan plan;
  if (!question.keep) return plan;
  if (!question.durable_step || !out_of_order(question.found, question.made, question.job_uid).empty()) return plan;
  const std::int32_t keep = std::max(*question.keep, 1);
  Checkpoints counted = question.found;
  std::erase_if(counted, [&](const Checkpoint& each) { return may_be_none(each, question.made); });
  Generations generations = group_by_save(counted, question.made, question.job_uid);
  plan.unclear = std::move(generations.unclear);
  for (const Generation& each : generations.known) {
    if (!each.is_complete() || each.step > *question.durable_step) continue;
    if (is_resumed_from(each, question) || may_be_common(each, question)) continue;
    if (newer_ones_than(each, generations.known, question) >= keep) plan.goes.push_back(each);
  }
  return plan;
}

std::string say_unclear(const PruningPlan& plan) {
  if (plan.unclear.empty()) return {};
  const std::size_t others = plan.unclear.size() - 1;
  return "spec.checkpoint.keep deletes nothing of " + plan.unclear.front() +
         (others > 0 ? " and " + std::to_string(others) + " others" : "") +
         ": which number in the path is the step cannot be told; write it behind the word step (step_100), and the "
         "number "
         "of a rank behind the word rank";
}

}  // namespace reprise::agent
