#include "agent/core/generations/plan_pruning.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/generations/needed_files.h"
#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

std::int32_t newer_ones_than(const Generation& older, const std::vector<Generation>& all,
                             const PruneQuestion& question) {
  return static_cast<std::int32_t>(std::ranges::count_if(all, [&](const Generation& newer) {
    return newer.step > older.step && newer.step <= *question.durable_step && is_proven(newer, question) &&
           has_parts_of(newer, older);
  }));
}

// True if all ranks may have it in common. If that step is not here any more, the next common one is not known.
bool may_be_common(const Generation& generation, const PruneQuestion& question) {
  if (!question.agrees_on_step) return false;
  const bool is_here = std::ranges::any_of(
      question.found, [&](const Checkpoint& each) { return each.complete && each.step == question.step_of_all; });
  return !is_here || generation.step >= *question.step_of_all;
}

bool is_resumed_from(const Generation& generation, const PruneQuestion& question) {
  const bool all_have_read_it = !question.gang && question.resumed_from < question.durable_step;
  const auto& path = question.resumed_path;
  const bool is_it = path.empty()
                         ? generation.step == question.resumed_from
                         : std::ranges::find(generation.parts, path, &Generation::Part::name) != generation.parts.end();
  return is_it && !all_have_read_it;
}

// True if it is newer and proven, and has something of it.
bool is_like(const Generation& newer, const Generation& older, const PruneQuestion& question) {
  return older.step < newer.step && newer.step <= *question.durable_step && has_any_part_of(newer, older) &&
         is_proven(newer, question);
}

// True where nothing shows that this job wrote a part which differs from one of its own in a number alone: a generation
// goes whole, and that part has to stay.
bool has_doubtful_ranks(const Generation& generation) {
  std::set<std::string> own;
  for (const auto& part : generation.parts)
    if (!part.doubtful) own.insert(naming_of(part.name));
  return std::ranges::any_of(generation.parts,
                             [&](const auto& part) { return part.doubtful && own.contains(naming_of(part.name)); });
}

constexpr std::string_view kNothingOfStep = "spec.checkpoint.keep deletes nothing of step ";

// Says why it stays although enough newer ones are there; empty: for another reason.
std::string say_lacking(const Generation& older, const std::vector<Generation>& all, const PruneQuestion& question) {
  const auto newer_ones =
      std::ranges::count_if(all, [&](const auto& newer) { return is_like(newer, older, question); });
  if (newer_ones < std::max<std::int32_t>(1, *question.keep)) return {};
  const std::string stays = std::string(kNothingOfStep) + std::to_string(older.step) + ": ";
  if (const auto torn = std::ranges::find(older.parts, false, &Generation::Part::complete); torn != older.parts.end())
    return stays + torn->name + " is a part of it by its name, and not complete";
  for (const Generation& newer : all) {
    if (!is_like(newer, older, question)) continue;
    if (const std::string lacks = lacking_part(newer, older); !lacks.empty())
      return stays + "the save of step " + std::to_string(newer.step) + " has nothing like " + lacks;
  }
  return {};
}

std::set<std::int64_t> steps_of_halves(const Checkpoints& found, const PruneQuestion& question) {
  std::set<std::int64_t> steps;
  for (const HalfSave& each : find_half_saves(found, question.made, question.holds)) steps.insert(each.step);
  return steps;
}

// Two saves in a row with the same parts show that a gang has shrunk by intention: of older ones that go the newest
// stay, as long as one that is whole would pass for a half without them.
void keep_what_shows_others_whole(std::vector<Generation>& goes, const PruneQuestion& question) {
  if (goes.empty()) return;
  const auto before = steps_of_halves(question.found, question);
  while (!goes.empty()) {
    Checkpoints left = question.found;
    std::erase_if(left, [&](const Checkpoint& each) {
      return std::ranges::any_of(goes, [&](const Generation& generation) {
        const auto part = std::ranges::find(generation.parts, each.name, &Generation::Part::name);
        return part != generation.parts.end() && !part->doubtful;
      });
    });
    if (std::ranges::includes(before, steps_of_halves(left, question))) return;
    goes.erase(goes.begin());
  }
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
  const std::int32_t keep = plan.keep = std::max(*question.keep, 1);
  Checkpoints counted = question.found;
  std::erase_if(counted, [&](const Checkpoint& each) { return may_be_none(each, question.made); });
  Generations generations = group_by_save(counted, question.made, question.job_uid, Doubtful::Count);
  leave_out_needless(generations.known, question.known, question.job_uid);
  plan.unclear = std::move(generations.unclear);
  for (const Generation& each : generations.known) {
    if (each.step > *question.durable_step) continue;
    if (is_proven(each, question)) plan.proven.push_back(each);
    if (is_resumed_from(each, question) || may_be_common(each, question) || has_doubtful_ranks(each)) continue;
    if (each.is_complete() && newer_ones_than(each, generations.known, question) >= keep)
      plan.goes.push_back(each);
    else if (plan.lacking.empty() && std::ranges::any_of(each.parts, &Generation::Part::complete))
      plan.lacking = say_lacking(each, generations.known, question);
  }
  keep_what_shows_others_whole(plan.goes, question);
  return plan;
}

std::string say_unclear(const PruningPlan& plan) {
  if (plan.unclear.empty()) return {};
  const std::size_t others = plan.unclear.size() - 1;
  return "spec.checkpoint.keep deletes nothing of " + plan.unclear.front() +
         (others > 0 ? " and " + std::to_string(others) + " more" : "") +
         ": which number in the path is the step cannot be told; write it behind the word step (step_100), and the "
         "number of a rank behind the word rank";
}

}  // namespace reprise::agent
