#include "agent/core/unreadable/unreadable_checkpoints.h"

#include <algorithm>
#include <cstddef>

#include "agent/core/aside/checkpoint_order.h"

namespace reprise::agent {
namespace {

// True by its step, or by when an agent saw it appear.
bool may_be_newer(const Checkpoint& each, const std::optional<Checkpoint>& resume, const Appearances& appearances) {
  if (!resume || each.step >= resume->step) return true;
  const auto one = appearances.find(each.name), other = appearances.find(resume->name);
  return one != appearances.end() && other != appearances.end() && one->second.order > other->second.order;
}

}  // namespace

std::map<std::string, std::string> unreadable_in(const VolumeScan& scan) {
  std::map<std::string, std::string> unreadable;
  for (const Checkpoint& each : scan.found) {
    const auto why = scan.unreadable.checkpoints.find(each.name);
    if (!each.complete && why != scan.unreadable.checkpoints.end()) unreadable.insert(*why);
  }
  return unreadable;
}

std::string why_unreadable(const VolumeScan& scan, const ResumeChoice& choice, const Environment& env, bool all_agree,
                           bool is_last_try) {
  if (env.resume != ResumePolicy::Latest) return {};
  // The step from which all ranks resume is on this volume, or the next attempt asks all of them again.
  if (all_agree && (choice.step_gone.empty() || is_last_try)) return {};
  Unreadable matters{.checkpoints = unreadable_in(scan), .directories = scan.unreadable.directories};
  if (matters.checkpoints.empty() && matters.directories.empty()) return {};
  const Appearances appearances = appearances_in(scan.made);
  for (const Checkpoint& each : scan.found)
    if (matters.checkpoints.contains(each.name) &&
        (may_be_none(each, scan.made) || !may_be_newer(each, choice.resume, appearances)))
      matters.checkpoints.erase(each.name);
  const std::string said = say_unreadable(matters);
  if (said.empty() || !is_last_try) return said;
  const bool any_complete = std::ranges::any_of(
      scan.found, [&](const Checkpoint& each) { return may_be_resumed(each, scan.made, env.format != "Auto"); });
  return any_complete ? "" : said + "; and of what can be read nothing is a complete checkpoint";
}

std::string say_unreadable(const Unreadable& unreadable) {
  std::string said;
  for (const auto& [name, why] : unreadable.checkpoints) {
    if (!said.empty()) {
      said += " and " + std::to_string(unreadable.checkpoints.size() - 1) + " more";
      break;
    }
    said = "the storage gives an error for checkpoint " + name + " (" + why + ")";
  }
  if (unreadable.directories.empty()) return said;
  return said + (said.empty() ? "the storage gives an error for " : ", and for ") + unreadable.directories +
         ", where checkpoints may lie";
}

std::set<std::string> not_to_be_deleted(const VolumeScan& scan) {
  std::set<std::string> all;
  for (const auto& [name, why] : unreadable_in(scan)) all.insert(name);
  for (const HalfSave& each : scan.halves) {
    const std::set<std::string> names = names_in({each});
    if (std::ranges::any_of(names, [&](const std::string& name) { return all.contains(name); }))
      all.insert(names.begin(), names.end());
  }
  return all;
}

void leave_unreadable(const VolumeScan& scan, bool is_last_try, ResumeChoice& choice) {
  if (is_last_try) return;
  const auto stays = not_to_be_deleted(scan);
  std::erase_if(choice.put_aside, [&](const std::string& name) { return stays.contains(name); });
}

}  // namespace reprise::agent
