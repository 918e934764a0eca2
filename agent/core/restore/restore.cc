#include "agent/core/restore/restore.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "agent/core/aside/ahead.h"
#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/aside/leave_alone.h"
#include "agent/core/aside/put_aside.h"
#include "agent/core/aside/torn_in_place.h"
#include "agent/core/aside/volume_scan.h"
#include "agent/core/fencing/attempts.h"
#include "agent/core/fencing/job_history.h"
#include "agent/core/fencing/volume_of_others.h"
#include "agent/core/fencing/why_not_anew.h"
#include "agent/core/generations/halves/known_saves.h"
#include "agent/core/proofs/by_sums.h"
#include "agent/core/proofs/expected.h"
#include "agent/core/proofs/proofs.h"
#include "agent/core/proofs/unproven.h"
#include "agent/core/record/main_part.h"
#include "agent/core/record/record.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/restore/references.h"
#include "agent/core/restore/renounced.h"
#include "agent/core/restore/say_zero.h"
#include "agent/core/retain/linked_checkpoints.h"
#include "agent/core/space/room_aside.h"
#include "agent/core/unreadable/unreadable_checkpoints.h"
#include "agent/core/watch/stand_ins_beside.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

using runtime::ErrorClass;
using runtime::Result;

// The choice that this attempt would make now. After a start from scratch, or from a step that all ranks have, every
// newer one that still counts has been saved since.
std::optional<Checkpoint> newest_now(const VolumeScan& scan, const Environment& env, bool agreed,
                                     const ResumeChoice& now) {
  if (env.resume == ResumePolicy::FromScratch) return newest_complete(scan.found, scan.made);
  if (!agreed) return now.resume;
  const auto newest = std::ranges::find_if(
      scan.found, [&](const Checkpoint& each) { return may_be_resumed(each, scan.made, env.format != "Auto"); });
  return newest == scan.found.end() ? std::nullopt : std::optional(*newest);
}

// Says why the earlier choice of this attempt cannot be kept; empty if it can.
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

std::optional<ResumePoint> point_in(const std::optional<std::string>& text, const Identity& by) {
  auto point = text ? decode_resume_point(*text) : std::nullopt;
  const bool is_its_own = point && point->job_uid == by.job_uid && point->attempt == by.attempt;
  return is_its_own ? point : std::nullopt;
}

// An earlier attempt. It publishes when its start from scratch is made: one whose text is lost has been made.
Result<std::optional<ResumePoint>> published_by(const Volume& volume, const Identity& then) {
  const auto text = volume.lost_texts->read(volume.files, volume.layout.resume_point(then.attempt));
  if (!text) return std::unexpected(text.error());
  if (is_lost_text(*text)) return ResumePoint{.job_uid = then.job_uid, .attempt = then.attempt};
  return point_in(*text, then);
}

}  // namespace

// A file that gives an error does so for as long as that lasts: other ranks may have loaded what it says.
Result<std::optional<ResumePoint>> read_resume_point(const Volume& volume, const Identity& self) {
  const auto text = volume.files.read(volume.layout.resume_point(self.attempt));
  if (!text) return std::unexpected(text.error());
  return point_in(*text, self);
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
    auto point = published_by(volume, then);
    if (!point) return std::unexpected(point.error());
    if (!*point) continue;
    question.published.push_back(std::move(**point));
    if (question.published.back().rejection.empty()) break;  // no further choice matters
  }
  return policy_in_force(question);
}

namespace {

// A training that begins anew is not to find what stood for the newest checkpoint of the one before, and one that goes
// on none of its own that is torn.
Result<void> put_stand_ins_aside(const Volume& volume, const Environment& env, const Identity& self,
                                 HistoryOnce& history, VolumeScan& scan, ResumeChoice& choice, Restored& restored) {
  const bool begins_anew = !choice.resume && !choice.none_complete;
  if (!choice.rejection.empty()) return {};
  Renounced renounced;
  if (begins_anew) {
    auto found = find_renounced(volume, env, self, history, scan, choice.put_aside);
    if (!found) return std::unexpected(found.error());
    renounced = *std::move(found);
    if (std::string left = say_left(renounced); !left.empty()) restored.notes.push_back(std::move(left));
  } else {
    auto torn = torn_stand_ins(volume, self, history, scan);
    if (!torn) return std::unexpected(torn.error());
    renounced.aside = *std::move(torn);
  }
  for (StandIn& each : renounced.aside) {
    const std::string& name = each.checkpoint.name;
    if (!each.is_torn) choice.not_torn.insert(name);
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

// Saves that are put aside do not tell which parts belong together, and a training that begins anew may save otherwise.
void forget_known_saves(const Volume& volume, const ResumeChoice& choice) {
  if (!choice.rejection.empty()) return;
  std::set<std::string> names(choice.put_aside.begin(), choice.put_aside.end());
  if (!choice.resume)
    for (const KnownPart& each : volume.known_saves->get()) names.insert(each.checkpoint.name);
  volume.known_saves->forget(volume.files, volume.layout, names);
}

// Text for people, of what the look has seen and what it has not.
std::string said_of_look(const CheckpointFormat& format) {
  std::string said;
  for (const std::string& each : {format.unsearched(), format.uncounted(), format.not_taken(), format.of_others()})
    append(said, each);
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

// One look of a restore: its question, and what it has found and decided until now.
struct Look {
  const Volume& volume;
  const Identity& self;
  const std::optional<protocol::CommonStep>& common;
  const RestoreTry& one;
  ReadingTime& time;
  Environment env;  // expects no step that nothing proves
  HistoryOnce history;
  VolumeScan scan{};
  Unproven unproven{};
  ResumeChoice choice{};
  Restored restored{};

  void note(std::string line) {
    if (!line.empty()) restored.notes.push_back(std::move(line));
  }
};

Result<void> read_volume(Look& look, bool published, const DoubtedChoices& doubts) {
  auto& [volume, self, common, one, time, env, history, scan, unproven, choice, restored] = look;
  auto scanned = scan_volume(volume, env, MadeList::Tidied);
  if (!scanned) return std::unexpected(scanned.error());
  scan = *std::move(scanned);
  restored.before = scan.all;
  std::ranges::move(volume.format->stand_ins(), std::back_inserter(restored.before));
  restored.made = scan.made;
  if (env.resume == ResumePolicy::Latest && !common)
    if (auto counted = count_further_stand_ins(volume, self, history, scan, restored.notes); !counted) return counted;
  leave_out_doubted(doubts, scan);
  if (published) return volume.proofs->take_over(volume, scan.all);
  auto not_proven = find_unproven(volume, env, self, scan);
  if (!not_proven) return std::unexpected(not_proven.error());
  unproven = *std::move(not_proven);
  if (gives_up_unproven(env, common.has_value()))
    prove_newest_by_sums(volume, self, scan, time, unproven, restored.notes);
  if (env.resume == ResumePolicy::Latest && !common) use_accepted(env, self, scan, unproven);
  return {};
}

Result<void> choose(Look& look) {
  auto& [volume, self, common, one, time, env, history, scan, unproven, choice, restored] = look;
  // Ranks with a volume each expect a step that the operator has settled, by the lists of all (choose_resume.h).
  if (env.resume == ResumePolicy::Latest && !common && expects_unproven(volume, env, scan, unproven)) {
    env.expected_step.reset();
    env.expected_checkpoint.clear();
  }
  if (env.resume == ResumePolicy::Latest && !common)
    if (auto settled = settle_expected_stand_in(volume, self, history, scan, env, restored.notes); !settled)
      return settled;
  choice = choose_resume({.found = offered(scan.found, env, common.has_value(), unproven),
                          .made = scan.made,
                          .policy = env.resume,
                          .expected_step = env.expected_step,
                          .expected_checkpoint = env.expected_checkpoint,
                          .format_is_certain = env.format != "Auto",
                          .common = common,
                          .halves = names_in(scan.halves),
                          .over = names_of_those_over(scan.halves)});
  if (choice.resume && !common) choice.resume = main_part(*choice.resume, self, scan, unproven, env.format != "Auto");
  if (std::string why = why_unreadable(scan, choice, env, common.has_value(), one.is_last); !why.empty())
    return runtime::fail(ErrorClass::Unavailable, std::move(why));
  const std::string unreadable = say_unreadable({unreadable_in(scan), {}});
  look.note(unreadable);
  if (env.resume == ResumePolicy::Latest) leave_unreadable(scan, one.is_last, choice);
  if (std::string why = why_not_from_nothing(env, common.has_value(), scan, unproven); !why.empty())
    choice = {.resume = {}, .put_aside = {}, .rejection = std::move(why), .note = {}};
  if (!unreadable.empty() && !choice.rejection.empty()) choice.rejection += "; " + unreadable;
  look.note(said_of_look(*volume.format));
  look.note(say_halves(scan.halves, choice.resume));
  if (env.resume == ResumePolicy::Never) restored.ignored = as_they_lie(scan.found, scan.all);
  return {};
}

// A job that began on a volume in a layout that is not known does not begin from zero there.
Result<void> decide(Look& look) {
  auto& [volume, self, common, one, time, env, history, scan, unproven, choice, restored] = look;
  put_unproven_aside(env, common.has_value(), unproven, choice);
  look.note(say_unproven(env, unproven));
  const auto why = common ? Result<WhyNotAnew>() : why_not_anew(volume, env, self, history, scan, choice);
  if (!why) return std::unexpected(why.error());
  look.note(why->note);
  if (!why->rejection.empty()) choice = {.resume = {}, .put_aside = {}, .rejection = why->rejection, .note = {}};
  if (env.resume == ResumePolicy::Latest && !choice.resume && choice.rejection.empty()) {
    auto zero = say_zero(volume, history, !restored.notes.empty() || !choice.note.empty());
    if (!zero) return std::unexpected(zero.error());
    look.note(*std::move(zero));
  }
  restored.point = {.job_uid = self.job_uid,
                    .attempt = self.attempt,
                    .pod_uid = self.pod_uid,
                    .step = choice.resume ? std::optional(choice.resume->step) : std::nullopt,
                    .path = choice.resume ? choice.resume->name : std::string(),
                    .rejection = choice.rejection,
                    .reason = std::string(why->rejection.empty() ? "" : protocol::kReasonNotRecognised),
                    .keeps_proofs = unproven.keeps_proofs};
  return {};
}

// Puts aside what the choice says, and mends whatever names it. `kept`: known to be wanted, or chosen before.
Result<void> carry_out(Look& look, std::vector<std::string> kept) {
  auto& [volume, self, common, one, time, env, history, scan, unproven, choice, restored] = look;
  kept.push_back(restored.point.path);
  kept.push_back(env.expected_checkpoint);
  VolumeScan now = scan;
  if (choice.rejection.empty()) move_damaged(volume, self, now.found, restored);
  LeftAlone left;
  if (env.resume == ResumePolicy::Latest) {
    auto sorted = leave_alone(volume, self, history, now, choice);
    if (!sorted) return std::unexpected(sorted.error());
    left = *std::move(sorted);
    restored.notes.insert(restored.notes.end(), left.notes.begin(), left.notes.end());
  }
  if (auto listed = put_stand_ins_aside(volume, env, self, history, now, choice, restored); !listed) return listed;
  forget_known_saves(volume, choice);
  const auto references = read_references(volume, now.found);
  const ToPutAside question{.scan = now,
                            .choice = choice,
                            .kept = std::move(kept),
                            .format_is_certain = env.format != "Auto",
                            .unproven = unproven.names};
  if (auto aside = put_aside(volume, self, question, restored); !aside) return aside;
  if (!choice.rejection.empty() || env.resume == ResumePolicy::Never) return {};
  left.torn.insert(left.torn.end(), choice.put_aside.begin(), choice.put_aside.end());
  mend(volume, references, now.found, std::move(left.torn), self.attempt, restored);
  return {};
}

Flawed flaw_of_choice(Look& look) {
  auto& [volume, self, common, one, time, env, history, scan, unproven, choice, restored] = look;
  auto flaw = flaw_before_resume(volume, choice.resume, common.has_value(), one.now);
  const bool is_unread = choice.resume && unproven.is_unseen() && !unproven.by_sums.contains(choice.resume->name);
  if (!flaw || *flaw || !is_unread) return flaw;
  return flaw_in_all_bytes(volume, self, *choice.resume, time, restored.notes);
}

// Succeeds if another look may follow, without that choice.
Result<void> doubt(const Look& look, const Flaw& flaw, DoubtedChoices& doubts) {
  const std::string& name = look.restored.point.path;
  if (flaw.lost && !look.one.is_last)
    return runtime::fail(ErrorClass::Unavailable, say_unreadable({{{name, flaw.reason}}, {}}));
  if (doubts.names.size() >= kMostDoubts)
    return runtime::fail(ErrorClass::Unavailable, "the volume changes under each look: " + name + " and " +
                                                      std::to_string(doubts.names.size()) +
                                                      " others were complete, and a moment later they were not");
  doubts.names.push_back(name);
  if (flaw.lost) doubts.lost.emplace(name, flaw.reason);
  return {};
}

// Before anybody can read the choice.
void prepare_training(Look& look) {
  auto& [volume, self, common, one, time, env, history, scan, unproven, choice, restored] = look;
  look.note(choice.note);
  const LeftThere there{.found = scan.found, .before = restored.before};
  std::string problem = choice.rejection.empty() ? begin_proofs(volume, env, self, there, unproven) : std::string();
  if (choice.rejection.empty() && env.resume == ResumePolicy::Latest)
    for (std::string& line : make_room_for_training(volume, env, self, scan, choice.resume)) look.note(std::move(line));
  if (!problem.empty()) problem = begin_proofs(volume, env, self, there, unproven);  // there may be room now
  look.note(std::move(problem));
  if (!common) return;
  if (const auto dropped = drop_passed(volume, self, choice, scan); !dropped) look.note(dropped.error().message);
}

// A start from scratch of which nothing is written down would be made once more, over what this one saves.
Result<void> publish(Look& look) {
  const Volume& volume = look.volume;
  if (look.env.resume == ResumePolicy::FromScratch && look.choice.rejection.empty() && !look.choice.resume)
    if (auto noted = volume.files.write(volume.layout.began_anew(), "{}\n", Sync::No); !noted)
      look.note("files of the training before may count as this one's: " + noted.error().message);
  const auto written = volume.files.write(volume.layout.resume_point(look.self.attempt),
                                          encode_resume_point(look.restored.point), Sync::Yes);
  if (!written && look.env.resume == ResumePolicy::FromScratch) return written;
  if (written) return {};
  look.restored.published = false;
  look.note("resume.json could not be published: " + written.error().message);
  return {};
}

Result<Restored> restore(const Volume& volume, const Environment& env, const Identity& self,
                         const std::optional<protocol::CommonStep>& common, const RestoreTry& one, ReadingTime& time,
                         DoubtedChoices doubts) {
  const auto earlier = read_resume_point(volume, self);
  if (!earlier) return std::unexpected(earlier.error());
  Look look{.volume = volume,
            .self = self,
            .common = common,
            .one = one,
            .time = time,
            .env = env,
            .history = HistoryOnce(volume, self)};
  if (auto read = read_volume(look, earlier->has_value(), doubts); !read) return std::unexpected(read.error());
  if (auto chosen = choose(look); !chosen) return std::unexpected(chosen.error());
  Restored& restored = look.restored;
  if (*earlier) {
    restored.point = **earlier;
    restored.outdated = outdated(**earlier, look.scan, look.env, common, look.choice);
    return std::move(restored);
  }
  restored.step_gone = look.choice.step_gone;
  if (!restored.step_gone.empty()) return std::move(restored);

  if (auto decided = decide(look); !decided) return std::unexpected(decided.error());
  if (auto done = carry_out(look, doubts.names); !done) return std::unexpected(done.error());
  auto flaw = flaw_of_choice(look);
  if (flaw && !*flaw) {
    prepare_training(look);
    flaw = flaw_by_now(volume, look.choice.resume);
  }
  if (!flaw) return std::unexpected(flaw.error());
  if (*flaw) {
    if (auto doubted = doubt(look, **flaw, doubts); !doubted) return std::unexpected(doubted.error());
    auto again = restore(volume, env, self, common, one, time, std::move(doubts));
    if (!again) return again;
    again->notes.insert(again->notes.begin(), restored.notes.begin(), restored.notes.end());
    again->unproven.insert(again->unproven.end(), restored.unproven.begin(), restored.unproven.end());
    return again;
  }
  if (auto published = publish(look); !published) return std::unexpected(published.error());
  return std::move(restored);
}

}  // namespace

Result<Restored> restore(const Volume& volume, const Environment& env, const Identity& self,
                         const std::optional<protocol::CommonStep>& common, const RestoreTry& one) {
  ReadingTime time(one.now);
  return restore(volume, env, self, common, one, time, {});
}

}  // namespace reprise::agent
