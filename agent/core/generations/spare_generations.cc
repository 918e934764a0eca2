#include "agent/core/generations/spare_generations.h"

#include <algorithm>
#include <set>
#include <utility>

#include "agent/core/generations/side_files.h"
#include "agent/core/generations/surroundings.h"
#include "agent/core/restore/references.h"
#include "agent/core/retain/linked_checkpoints.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/search/best_checkpoint.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::string_view kNothing = "spec.checkpoint.keep deletes nothing: ";

std::vector<std::string> names_of(const std::vector<Generation>& generations) {
  std::vector<std::string> names;
  for (const Generation& each : generations)
    for (const Generation::Part& part : each.parts)
      if (!part.doubtful) names.push_back(part.name);
  return names;
}

// The ones of `names` that a complete one which stays names as the best so far. Checkpoints older than all of them name
// none, and there may be hundreds.
Result<std::set<std::string>> named_as_best(const Volume& volume, const Checkpoints& found,
                                            const std::vector<std::string>& names) {
  std::set<std::string> best, spared;
  const auto goes = [&](const Checkpoint& each) { return std::ranges::find(names, each.name) != names.end(); };
  const auto behind_last = std::find_if(found.rbegin(), found.rend(), goes).base();
  auto oldest = runtime::WallTime::max();
  for (const Checkpoint& each : found)
    if (goes(each)) oldest = std::min(oldest, each.time);
  for (auto each = found.begin(); each != found.end(); ++each) {
    const bool was_there_before = each >= behind_last && each->time < oldest;
    if (!each->complete || goes(*each) || was_there_before) continue;
    auto named = best_named_in(volume.files, volume.layout.root, *each);
    if (!named) return std::unexpected(named.error());
    best.merge(*named);
  }
  for (const std::string& name : names)
    if (best.contains(std::string(last_part(name)))) spared.insert(name);
  return spared;
}

// Repeats until no part of any that goes is spared.
Result<std::vector<Generation>> without_linked(const Volume& volume, const Checkpoints& found,
                                               const std::set<std::string>& folders, std::vector<Generation> goes) {
  for (;;) {
    const auto names = names_of(goes);
    const auto left = spare_linked(volume, found, names, folders);
    if (!left) return std::unexpected(left.error());
    if (left->size() == names.size()) return goes;
    std::erase_if(goes, [&](const Generation& generation) {
      return std::ranges::any_of(generation.parts, [&](const auto& part) {
        return !part.doubtful && std::ranges::find(*left, part.name) == left->end();
      });
    });
  }
}

}  // namespace

Result<ToPrune> spare_generations(const Volume& volume, const Checkpoints& found, const Checkpoints& others,
                                  const PruningPlan& plan) {
  ToPrune to_prune;
  for (const std::string& reason : {say_unclear(plan), plan.lacking})
    if (!reason.empty()) to_prune.left_alone.push_back(reason);
  if (plan.goes.empty()) return to_prune;
  for (const std::string& not_seen : {volume.format->unsearched(), volume.format->uncounted()}) {
    if (not_seen.empty()) continue;
    to_prune.left_alone = {std::string(kNothing) + not_seen};
    return to_prune;
  }
  Checkpoints known = found;
  known.insert(known.end(), others.begin(), others.end());
  const auto around = look_around(volume, known, Hidden::LookForLinks);
  if (!around) return std::unexpected(around.error());
  if (!around->cut_short.empty()) {
    to_prune.left_alone = {std::string(kNothing) + around->cut_short};
    return to_prune;
  }
  std::vector<Generation> goes = plan.goes;
  std::erase_if(goes, [&](const Generation& each) {
    std::string left = left_behind_by(each, *around);
    for (const std::string& name : plan.unclear)
      if (left.empty() && may_be_of_step(name, each.step, true)) left = name;
    if (!left.empty())
      to_prune.left_alone.push_back("spec.checkpoint.keep deletes nothing of step " + std::to_string(each.step) + ": " +
                                    left + " may be of the same save, and no format here knows it");
    return !left.empty();
  });
  const auto references = read_references(volume, found, around->with_texts);
  if (!references) return std::unexpected(references.error());
  auto named = named_by_trackers(volume, *references, names_of(goes));
  const auto best = named_as_best(volume, found, names_of(goes));
  if (!best) return std::unexpected(best.error());
  named.insert(best->begin(), best->end());
  std::erase_if(goes, [&](const Generation& each) {
    return std::ranges::any_of(each.parts, [&](const auto& part) { return named.contains(part.name); });
  });
  auto going = without_linked(volume, found, around->folders_with_links(), std::move(goes));
  if (!going) return std::unexpected(going.error());
  std::vector<std::string> all_sides;
  std::vector<Generation> last;
  for (Generation& each : *going) {
    const auto sides = side_files_of(volume, each, found, *around);
    if (!sides) return std::unexpected(sides.error());
    if (const std::string lacks = lacking_side(each, *sides, plan.proven, plan.keep, *around); !lacks.empty()) {
      to_prune.left_alone.push_back("spec.checkpoint.keep deletes nothing of step " + std::to_string(each.step) +
                                    ": newer saves have nothing like " + lacks);
      continue;
    }
    all_sides.insert(all_sides.end(), sides->begin(), sides->end());
    last.push_back(std::move(each));
  }
  to_prune.names = names_of(last);
  to_prune.names.insert(to_prune.names.end(), all_sides.begin(), all_sides.end());
  return to_prune;
}

}  // namespace reprise::agent
