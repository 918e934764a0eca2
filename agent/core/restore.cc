#include "agent/core/restore.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "agent/core/ahead.h"
#include "agent/core/attempts.h"
#include "agent/core/checkpoint_order.h"
#include "agent/core/choose_resume.h"
#include "agent/core/generations/halves/known_saves.h"
#include "agent/core/job_history.h"
#include "agent/core/leave_alone.h"
#include "agent/core/linked_checkpoints.h"
#include "agent/core/put_aside.h"
#include "agent/core/record.h"
#include "agent/core/references.h"
#include "agent/core/room_aside.h"
#include "agent/core/stand_ins_beside.h"
#include "agent/core/torn_in_place.h"
#include "agent/core/unreadable/unreadable_checkpoints.h"
#include "agent/core/volume_of_others.h"
#include "agent/core/volume_scan.h"
#include "agent/core/why_not_anew.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

using runtime::ErrorClass;
using runtime::Result;

// What this attempt's choice would be now. After a start from scratch, or from a step that all ranks have, whatever
// still counts and is newer has been saved since.
std::optional<Checkpoint> newest_now(const VolumeScan& scan, const Environment& env, bool agreed,
                                     const ResumeChoice& now) {
  if (env.resume == ResumePolicy::FromScratch) return newest_complete(scan.found, scan.made);
  if (!agreed) return now.resume;
  const auto newest = std::ranges::find_if(
      scan.found, [&](const Checkpoint& each) { return may_be_resumed(each, scan.made, env.format != "Auto"); });
  return newest == scan.found.end() ? std::nullopt : std::optional(*newest);
}

// Whether the earlier choice of this attempt can be kept; otherwise why not.
std::string outdated(const ResumePoint& earlier, const VolumeScan& scan, const Environment& env,
                     const std::optional<protocol::CommonStep>& common, const ResumeChoice& now) {
  if (env.resume == ResumePolicy::Never || !earlier.rejection.empty()) return {};
  const auto newest = newest_now(scan, env, common.has_value(), now);
  const std::string found = newest ? newest->name : "none";
  const std::string published = earlier.step ? earlier.path : "none";
  const std::string before = "attempt " + std::to_string(earlier.attempt) + " has published checkpoint " + published +
                             " before (pod UID " + earlier.pod_uid + "), but ";
  if (common && common->step != earlier.step)
    return before + "all ranks are now to resume from " +
           (common->step ? "step " + std::to_string(*common->step) : std::string("none")) + ": start a new attempt";
  return found == published ? std::string() : before + "the newest is now " + found + ": start a new attempt";
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
  auto made = read_made(volume);  // a trainer may have deleted what was published
  if (!made) return std::unexpected(made.error());
  question.made = *std::move(made);
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

// A training that begins anew is not to find what stood for the newest checkpoint of the one before, and one that goes
// on none of its own that is torn.
Result<void> put_stand_ins_aside(const Volume& volume, const Identity& self, HistoryOnce& history, VolumeScan& scan,
                                 ResumeChoice& choice, Restored& restored) {
  const bool begins_anew = !choice.resume && !choice.none_complete;
  if (begins_anew && choice.put_aside.empty()) return {};
  auto unfit = begins_anew ? stand_ins_beside(volume, scan.found) : torn_stand_ins(volume, self, history, scan);
  if (!unfit) return std::unexpected(unfit.error());
  for (StandIn& each : *unfit) {
    const std::string& name = each.checkpoint.name;
    if (std::ranges::find(choice.put_aside, name) == choice.put_aside.end()) choice.put_aside.push_back(name);
    if (std::ranges::find(scan.found, name, &Checkpoint::name) != scan.found.end()) continue;
    restored.before.push_back(each.checkpoint);
    scan.found.push_back(std::move(each.checkpoint));
  }
  return {};
}

// `torn`: what was put aside, and what is left where it lies and is torn.
void mend(const Volume& volume, const Result<References>& references, const Checkpoints& found,
          std::vector<std::string> torn, std::int32_t attempt, Restored& restored) {
  if (!references) {
    restored.notes.push_back("what names the newest checkpoint was not looked at: " + references.error().message);
    return;
  }
  Aside aside{.names = std::move(torn), .left = without_data(found, restored.made), .found = found, .attempt = attempt};
  std::erase_if(aside.left,
                [&](const Checkpoint& each) { return std::ranges::find(aside.names, each.name) != aside.names.end(); });
  for (std::string& line : mend_references(volume, *references, aside)) restored.notes.push_back(std::move(line));
}

// What is put aside tells nothing of what belongs together, and a training that begins anew may save in its own way.
void forget_known_saves(const Volume& volume, const ResumeChoice& choice) {
  if (!choice.rejection.empty()) return;
  std::set<std::string> names(choice.put_aside.begin(), choice.put_aside.end());
  if (!choice.resume)
    for (const KnownPart& each : volume.known_saves->get()) names.insert(each.checkpoint.name);
  volume.known_saves->forget(volume.files, volume.layout, names);
}

// What the choice says is put aside, and what names it is put right. `kept`: known to be wanted, or chosen before.
Result<void> carry_out(const Volume& volume, const Environment& env, const Identity& self, HistoryOnce& history,
                       VolumeScan scan, ResumeChoice& choice, std::vector<std::string> kept, Restored& restored) {
  kept.push_back(env.expected_checkpoint);
  if (choice.rejection.empty()) move_damaged(volume, self, scan.found, restored);
  LeftAlone left;
  if (env.resume == ResumePolicy::Latest) {
    auto sorted = leave_alone(volume, self, history, scan, choice);
    if (!sorted) return std::unexpected(sorted.error());
    left = *std::move(sorted);
    restored.notes.insert(restored.notes.end(), left.notes.begin(), left.notes.end());
  }
  if (auto listed = put_stand_ins_aside(volume, self, history, scan, choice, restored); !listed) return listed;
  const Checkpoints& found = scan.found;
  forget_known_saves(volume, choice);
  const auto references = read_references(volume, found);
  const ToPutAside question{
      .scan = scan, .choice = choice, .kept = std::move(kept), .format_is_certain = env.format != "Auto"};
  if (auto aside = put_aside(volume, self, question, restored); !aside) return aside;
  if (!choice.rejection.empty() || env.resume == ResumePolicy::Never) return {};
  left.torn.insert(left.torn.end(), choice.put_aside.begin(), choice.put_aside.end());
  mend(volume, references, found, std::move(left.torn), self.attempt, restored);
  return {};
}

// For people, of what the look has seen and what it has not.
std::string said_of_look(const CheckpointFormat& format) {
  std::string said;
  for (const std::string& each : {format.unsearched(), format.not_taken(), format.of_others()}) append(said, each);
  return said;
}

// A volume on which each look finds another one is none to choose from.
constexpr std::size_t kMostDoubts = 16;

// Halves of saves are torn in `found` alone.
Checkpoints as_they_lie(const Checkpoints& found, const Checkpoints& all) {
  Checkpoints lying = all;
  std::erase_if(lying, [&](const Checkpoint& each) {
    return std::ranges::find(found, each.name, &Checkpoint::name) == found.end();
  });
  return lying;
}

Result<Restored> restore(const Volume& volume, const Environment& env, const Identity& self,
                         const std::optional<protocol::CommonStep>& common, const RestoreTry& one,
                         DoubtedChoices doubts) {
  const auto earlier = read_resume_point(volume, self);
  if (!earlier) return std::unexpected(earlier.error());
  auto scan = scan_volume(volume, env, MadeList::Tidied);
  if (!scan) return std::unexpected(scan.error());
  HistoryOnce history(volume, self);
  Restored restored;
  restored.before = scan->all;
  restored.made = scan->made;
  if (env.resume == ResumePolicy::Latest && !common)
    if (auto counted = count_further_stand_ins(volume, self, history, *scan, restored.notes); !counted)
      return std::unexpected(counted.error());
  leave_out_doubted(doubts, *scan);
  ResumeChoice choice = choose_resume({.found = scan->found,
                                       .made = scan->made,
                                       .policy = env.resume,
                                       .expected_step = env.expected_step,
                                       .expected_checkpoint = env.expected_checkpoint,
                                       .format_is_certain = env.format != "Auto",
                                       .common = common,
                                       .halves = names_in(scan->halves)});
  if (std::string why = why_unreadable(*scan, choice, env, common.has_value(), one.is_last); !why.empty())
    return runtime::fail(ErrorClass::Unavailable, std::move(why));
  const std::string unreadable = say_unreadable({unreadable_in(*scan), {}});
  if (!unreadable.empty()) restored.notes.push_back(unreadable);
  if (env.resume == ResumePolicy::Latest) leave_unreadable(*scan, one.is_last, choice);
  if (!unreadable.empty() && !choice.rejection.empty()) choice.rejection += "; " + unreadable;
  if (std::string said = said_of_look(*volume.format); !said.empty()) restored.notes.push_back(std::move(said));
  if (std::string said = say_halves(scan->halves, choice.resume); !said.empty())
    restored.notes.push_back(std::move(said));
  if (env.resume == ResumePolicy::Never) restored.ignored = as_they_lie(scan->found, scan->all);
  if (*earlier) {
    restored.point = **earlier;
    restored.outdated = outdated(**earlier, *scan, env, common, choice);
    return restored;
  }
  restored.step_gone = choice.step_gone;
  if (!restored.step_gone.empty()) return restored;
  const auto why = common ? Result<WhyNotAnew>() : why_not_anew(volume, env, self, history, *scan, choice);
  if (!why) return std::unexpected(why.error());
  if (!why->note.empty()) restored.notes.push_back(why->note);
  if (!why->rejection.empty()) choice = {.resume = {}, .put_aside = {}, .rejection = why->rejection, .note = {}};
  restored.point = {.job_uid = self.job_uid,
                    .attempt = self.attempt,
                    .pod_uid = self.pod_uid,
                    .step = choice.resume ? std::optional(choice.resume->step) : std::nullopt,
                    .path = choice.resume ? choice.resume->name : std::string(),
                    .rejection = choice.rejection,
                    .reason = std::string(why->rejection.empty() ? "" : protocol::kReasonNotRecognised)};
  auto kept = doubts.names;
  kept.push_back(restored.point.path);
  if (auto aside = carry_out(volume, env, self, history, *scan, choice, std::move(kept), restored); !aside)
    return std::unexpected(aside.error());
  const auto flaw = flaw_before_resume(volume, choice.resume, common.has_value(), one.now);
  if (!flaw) return std::unexpected(flaw.error());
  if (*flaw) {
    const std::string& name = restored.point.path;
    if ((*flaw)->lost && !one.is_last)
      return runtime::fail(ErrorClass::Unavailable, say_unreadable({{{name, (*flaw)->reason}}, {}}));
    if (doubts.names.size() >= kMostDoubts)
      return runtime::fail(ErrorClass::Unavailable, "the volume changes under each look: " + name + " and " +
                                                        std::to_string(doubts.names.size()) +
                                                        " others were complete, and a moment later they were not");
    doubts.names.push_back(name);
    if ((*flaw)->lost) doubts.lost.emplace(name, (*flaw)->reason);
    auto again = restore(volume, env, self, common, one, std::move(doubts));
    if (again) again->notes.insert(again->notes.begin(), restored.notes.begin(), restored.notes.end());
    return again;
  }
  if (!choice.note.empty()) restored.notes.push_back(choice.note);
  if (choice.rejection.empty() && env.resume == ResumePolicy::Latest)
    for (std::string& line : make_room_for_training(volume, env, self, *scan, choice.resume))
      restored.notes.push_back(std::move(line));
  if (common) {
    const auto dropped = drop_passed(volume, self, choice, *scan);
    if (!dropped) restored.notes.push_back(dropped.error().message);
  }
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

Result<Restored> restore(const Volume& volume, const Environment& env, const Identity& self,
                         const std::optional<protocol::CommonStep>& common, const RestoreTry& one) {
  return restore(volume, env, self, common, one, {});
}

}  // namespace reprise::agent
