#include "agent/core/restore.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "agent/core/attempts.h"
#include "agent/core/checkpoint_order.h"
#include "agent/core/choose_resume.h"
#include "agent/core/linked_checkpoints.h"
#include "agent/core/prune.h"
#include "agent/core/torn_in_place.h"

namespace reprise::agent {
namespace {

using runtime::ErrorClass;
using runtime::Result;

// Whether the earlier choice of this attempt can be kept; otherwise why not. After a start from scratch whatever still
// counts has been saved since.
std::string outdated(const ResumePoint& earlier, const Checkpoints& all, const MadeCheckpoints& made,
                     ResumePolicy policy, const ResumeChoice& now) {
  if (policy == ResumePolicy::Never) return {};
  const auto newest = policy == ResumePolicy::FromScratch ? newest_complete(all, made) : now.resume;
  const std::string found = newest ? newest->name : "none";
  const std::string published = earlier.step ? earlier.path : "none";
  if (found == published || !earlier.rejection.empty()) return {};
  return "attempt " + std::to_string(earlier.attempt) + " has published checkpoint " + published + " before (pod UID " +
         earlier.pod_uid + "), but the newest is now " + found + ": start a new attempt";
}

// What was chosen may be damaged while others are put aside, which takes minutes where each call takes seconds.
Result<bool> is_complete_still(const Volume& volume, const ResumeChoice& choice) {
  if (!choice.resume) return true;
  const auto completed = volume.format->completed(volume.files, volume.layout.root / choice.resume->name);
  if (!completed) return std::unexpected(completed.error());
  return completed->has_value();
}

// What a complete checkpoint links to stays where that finds it.
Result<void> move_unless_needed(const Volume& volume, const Result<std::set<std::string>>& needed,
                                const std::string& name, const std::filesystem::path& to) {
  if (!needed) return std::unexpected(needed.error());
  if (needed->contains(name)) return runtime::fail(ErrorClass::Conflict, "a complete checkpoint links to it");
  return volume.format->put_aside(volume.files, volume.layout.root, name, to);
}

// What may be the trainer's data holds millions of files perhaps, and directories that are closed to this user.
Checkpoints without_data(Checkpoints found, const MadeCheckpoints& made) {
  std::erase_if(found, [&](const Checkpoint& each) { return each.complete && may_be_none(each, made); });
  return found;
}

struct ToPutAside {
  const Checkpoints& found;
  const ResumeChoice& choice;
  std::vector<std::string> kept;  // known to the operator, or chosen before
  bool format_is_certain = false;
};

// Moved where the volume moves directories; where it does not, written down. Old checkpoints must not come back in the
// next attempt: an error when that cannot be made sure of. Torn ones never do harm.
Result<void> put_aside(const Volume& volume, const Identity& self, const ToPutAside& question, Restored& restored) {
  const auto& [found, choice, kept, format_is_certain] = question;
  Checkpoints in_place;
  for (const Checkpoint& each : found) {
    if (std::ranges::find(choice.left_out, each.name) == choice.left_out.end()) continue;
    restored.notes.push_back(each.name + " was left in place, and does not count as a checkpoint any more");
    in_place.push_back(each);
  }
  bool room_made = false;
  std::vector<std::string> torn_in_place;
  std::set<std::string> renounced;
  const Checkpoints followed = format_is_certain ? found : without_data(found, restored.made);
  const auto needed = needed_by_complete(volume, followed, choice.put_aside);
  for (const std::string& name : choice.put_aside) {
    const auto checkpoint =
        std::find_if(found.begin(), found.end(), [&](const auto& each) { return each.name == name; });
    const bool complete = checkpoint != found.end() && checkpoint->complete;
    if (complete) renounced.insert(name);
    const bool goes_later = !complete && made_by(self.job_uid, name, restored.made);
    // Interrupted while saving, again and again: what the attempts before have left would fill the volume.
    if (goes_later && !std::exchange(room_made, true)) {
      if (auto dropped = drop_torn(volume, self.attempt); !dropped) restored.notes.push_back(dropped.error().message);
    }
    const auto& place = goes_later ? volume.layout.torn() : volume.layout.quarantine();
    const auto moved = move_unless_needed(volume, needed, name,
                                          place / (VolumeLayout::aside(name) + "." + std::to_string(self.attempt)));
    const std::string what = (complete ? "old checkpoint " : "torn checkpoint ") + name;
    if (moved) {
      restored.notes.push_back(what + " was moved to " + (goes_later ? ".reprise/torn" : ".reprise/quarantine"));
      std::erase_if(restored.before, [&](const auto& each) { return each.name == name; });
    } else {
      restored.notes.push_back(what + " was left in place, and does not count any more: " + moved.error().message);
      // What this job has made goes from where it is, once a newer one is durable.
      if (checkpoint != found.end() && !goes_later) in_place.push_back(*checkpoint);
      if (goes_later) torn_in_place.push_back(name);
    }
  }
  const TornRestore torn{.self = self, .made = restored.made, .found = followed, .kept = kept};
  if (auto dropped = drop_torn_in_place(volume, torn, torn_in_place, restored.notes); !dropped)
    restored.notes.push_back(dropped.error().message);
  const auto written = SetAside::add(volume.files, volume.layout, in_place, self);
  const bool counts = std::any_of(in_place.begin(), in_place.end(), [](const auto& each) { return each.complete; });
  if (!written && counts) return written;
  forget(volume, restored.made, renounced);
  if (written) return {};
  restored.notes.push_back("what was left in place could not be written down: " + written.error().message);
  return {};
}

}  // namespace

Result<std::optional<ResumePoint>> read_resume_point(const Volume& volume, const Identity& self) {
  const auto text = volume.files.read(volume.layout.resume_point(self.attempt));
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto point = decode_resume_point(**text);
  const bool ours = point && point->job_uid == self.job_uid && point->attempt == self.attempt;
  return ours ? point : std::nullopt;
}

Result<ResumePolicy> policy_in_force(const Volume& volume, const Environment& env, const Identity& self) {
  ScratchQuestion question{.policy = env.resume,
                           .since = env.from_scratch_since,
                           .self = self,
                           .checkpoint_expected = env.expected_step.has_value()};
  if (env.resume != ResumePolicy::FromScratch || !env.from_scratch_since) return policy_in_force(question);
  const auto attempts = list_attempts(volume);
  if (!attempts) return std::unexpected(attempts.error());
  for (const std::int32_t attempt : *attempts) {
    if (attempt < *env.from_scratch_since || attempt >= self.attempt) continue;
    Identity then = self;
    then.attempt = attempt;
    auto point = read_resume_point(volume, then);
    if (!point) return std::unexpected(point.error());
    if (!*point) continue;
    question.published.push_back(std::move(**point));
    if (question.published.back().rejection.empty()) break;  // that is all there is to know
  }
  return policy_in_force(question);
}

namespace {

// `doubted`: chosen before by this restore, and then found damaged, or not seen, when that was to be published.
Result<Restored> restore(const Volume& volume, const Environment& env, const Identity& self,
                         std::vector<std::string> doubted) {
  const auto earlier = read_resume_point(volume, self);
  if (!earlier) return std::unexpected(earlier.error());
  const auto all = volume.scan_all();
  if (!all) return std::unexpected(all.error());
  auto found = std::optional(volume.format->certain(*all));
  auto made = read_made(volume);
  if (!made) return std::unexpected(made.error());
  forget_gone(volume, *made, env.expected_checkpoint);
  sort_newest_first(*found, *made);
  const ResumeChoice choice = choose_resume({.found = *found,
                                             .made = *made,
                                             .policy = env.resume,
                                             .expected_step = env.expected_step,
                                             .expected_checkpoint = env.expected_checkpoint,
                                             .format_is_certain = env.format != "Auto"});
  Restored restored;
  if (auto unsearched = volume.format->unsearched(); !unsearched.empty())
    restored.notes.push_back(std::move(unsearched));
  restored.before = *all;
  restored.made = std::move(*made);
  if (env.resume == ResumePolicy::Never) restored.ignored = *found;
  if (*earlier) {
    restored.point = **earlier;
    restored.outdated = outdated(**earlier, *found, restored.made, env.resume, choice);
    return restored;
  }
  restored.point = {.job_uid = self.job_uid,
                    .attempt = self.attempt,
                    .pod_uid = self.pod_uid,
                    .step = choice.resume ? std::optional(choice.resume->step) : std::nullopt,
                    .path = choice.resume ? choice.resume->name : std::string(),
                    .rejection = choice.rejection};
  ToPutAside question{.found = *found, .choice = choice, .kept = doubted, .format_is_certain = env.format != "Auto"};
  question.kept.push_back(env.expected_checkpoint);
  question.kept.push_back(restored.point.path);
  auto aside = put_aside(volume, self, question, restored);
  if (!aside) return std::unexpected(aside.error());
  const auto still_complete = is_complete_still(volume, choice);
  if (!still_complete) return std::unexpected(still_complete.error());
  if (!*still_complete) {
    doubted.push_back(restored.point.path);
    auto again = restore(volume, env, self, std::move(doubted));
    if (again) again->notes.insert(again->notes.begin(), restored.notes.begin(), restored.notes.end());
    return again;
  }
  if (!choice.note.empty()) restored.notes.push_back(choice.note);
  const auto written =
      volume.files.write(volume.layout.resume_point(self.attempt), encode_resume_point(restored.point), Sync::Yes);
  // A start from scratch of which nothing is written down would be made once more, over what this one saves.
  if (!written && env.resume == ResumePolicy::FromScratch) return std::unexpected(written.error());
  if (!written) {
    restored.published = false;
    restored.notes.push_back("resume.json could not be published: " + written.error().message);
  }
  return restored;
}

}  // namespace

Result<Restored> restore(const Volume& volume, const Environment& env, const Identity& self) {
  return restore(volume, env, self, {});
}

}  // namespace reprise::agent
