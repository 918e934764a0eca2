#include "agent/core/restore/choose_resume.h"

#include <algorithm>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/restore/common_name.h"
#include "agent/formats/name_numbers.h"
#include "protocol/unproven.h"

namespace reprise::agent {
namespace {

// Empty: no attempt is known to have made it.
std::optional<std::int64_t> order_of(const std::string& name, const Appearances& made) {
  const auto appeared = made.find(name);
  return appeared == made.end() ? std::nullopt : std::optional(appeared->second.order);
}

// Data that happens to have a marker and a high number is not what was saved. Where numbers begin again with each epoch
// or stage the order of making tells, also when the trainer's own rotation has deleted the expected one meanwhile. An
// epoch and a step are not held against each other.
bool holds(const ResumeQuestion& question, std::int64_t step) {
  const Appearances made = appearances_in(question.made);
  const auto expected = order_of(question.expected_checkpoint, made);
  const auto is_made_after_expected = [&](const Checkpoint& each) {
    const auto order = order_of(each.name, made);
    return order && expected && *order > *expected;
  };
  const auto& name = question.expected_checkpoint;
  const bool is_epoch = read_save_name(name).is_epoch;
  const auto is_as_far = [&](const Checkpoint& each) {
    return each.step >= step && (name.empty() || read_save_name(each.name).is_epoch == is_epoch);
  };
  return std::ranges::any_of(question.found, [&](const Checkpoint& each) {
    return each.complete && (is_as_far(each) || is_made_after_expected(each)) && !may_be_none(each, question.made);
  });
}

// A checkpoint that was completed before the expected one, which is complete no more, is older, whatever their numbers.
bool is_older_than_expected(const ResumeQuestion& question, const Checkpoint& resume) {
  const auto& expected = question.expected_checkpoint;
  const bool still_there = std::ranges::any_of(
      question.found, [&](const Checkpoint& each) { return each.complete && each.name == expected; });
  if (still_there) return false;
  const Appearances made = appearances_in(question.made);
  const auto resumed = order_of(resume.name, made), wanted = order_of(expected, made);
  return resumed && wanted && *resumed < *wanted;
}

constexpr std::string_view kWhatToDo =
    ": bring the right volume or snapshot back, or accept the loss: set spec.resume to "
    "FromScratch (if it is already: to Latest and back)";

std::string lost(std::int64_t expected, const std::optional<Checkpoint>& newest, std::size_t torn) {
  std::string found = newest ? "the newest complete one is " + newest->name : std::string("no complete one is there");
  if (torn > 0) found += " (and " + std::to_string(torn) + " that are not complete)";
  return "the volume should hold a complete checkpoint of step " + std::to_string(expected) + " or later, but " +
         found + std::string(kWhatToDo);
}

std::string lost(const std::string& expected, const Checkpoint& newest) {
  return "the volume should hold the complete checkpoint " + expected +
         " or a later one, but the newest complete one is " + newest.name + ", which was made before it" +
         std::string(kWhatToDo);
}

ResumeChoice lost_by_all(const ResumeQuestion& question, const std::string& expected) {
  const auto step = question.common->step;
  const std::string newest = step ? "the newest step that all of them hold is " + std::to_string(*step)
                                  : std::string("no step is on all of them");
  ResumeChoice choice;
  choice.rejection = "the volumes of all ranks should hold the complete checkpoint " + expected +
                     " or a later one, but " + newest + std::string(kWhatToDo);
  return choice;
}

// Older, higher steps would be taken for newer than what this attempt saves. What may be the trainer's data is not
// taken away from it.
void renounce(const ResumeQuestion& question, const Checkpoint& each, ResumeChoice& choice) {
  const bool may_be_data = !question.format_is_certain && each.complete && may_be_none(each, question.made);
  (may_be_data ? choice.left_out : choice.put_aside).push_back(each.name);
}

ResumeChoice start_from_scratch(const ResumeQuestion& question) {
  ResumeChoice choice;
  const bool none_complete = std::ranges::none_of(question.found, &Checkpoint::complete);
  if (none_complete && !question.format_is_certain) return choice;
  for (const Checkpoint& each : question.found) renounce(question, each, choice);
  return choice;
}

// A save that nobody saw being made may be a whole save of another kind: it stays where it is.
bool is_foreign_half(const ResumeQuestion& question, const std::string& name) {
  return question.halves.contains(name) &&
         std::ranges::find(question.made, name, &MadeCheckpoint::name) == question.made.end();
}

// Names a complete checkpoint that may be anything; empty: there is nothing of the kind.
std::string say_unnamed(const ResumeQuestion& question) {
  const auto first = std::ranges::find_if(question.found, &Checkpoint::complete);
  if (first == question.found.end()) return {};
  return first->name + " is complete by " + first->format +
         ", but its name says no checkpoint and no attempt of this job is known to have made it: it is not resumed "
         "from, unless spec.checkpoint.format is " +
         first->format;
}

ResumeChoice resume_latest(const ResumeQuestion& question) {
  ResumeChoice choice;
  const auto complete = std::find_if(question.found.begin(), question.found.end(), [&](const Checkpoint& each) {
    return may_be_resumed(each, question.made, question.format_is_certain);
  });
  if (complete != question.found.end()) choice.resume = *complete;
  choice.none_complete = !choice.resume;
  for (const Checkpoint& each : question.found)
    if (!each.complete && !question.over.contains(each.name) &&
        (choice.none_complete || !is_foreign_half(question, each.name)))
      choice.put_aside.push_back(each.name);
  if (question.expected_step && !holds(question, *question.expected_step)) {
    return {.resume = {},
            .put_aside = {},
            .left_out = {},
            .rejection = lost(*question.expected_step, choice.resume, choice.put_aside.size()),
            .note = {}};
  }
  if (question.expected_step && choice.resume && is_older_than_expected(question, *choice.resume)) {
    return {.resume = {}, .put_aside = {}, .rejection = lost(question.expected_checkpoint, *choice.resume), .note = {}};
  }
  if (choice.none_complete && !choice.put_aside.empty())
    choice.note =
        "no checkpoint is known to be complete (" + choice.put_aside.front() + " is not): training starts anew";
  if (!choice.resume && choice.note.empty()) choice.note = say_unnamed(question);
  return choice;
}

// Nobody has asked for it, unlike a start from scratch: where no checkpoint is known, what is not complete is left
// alone.
ResumeChoice start_all_anew(ResumeQuestion question) {
  const bool none_known = std::ranges::none_of(question.found, [&](const Checkpoint& each) {
    return may_be_resumed(each, question.made, question.format_is_certain);
  });
  if (none_known) std::erase_if(question.found, [](const Checkpoint& each) { return !each.complete; });
  ResumeChoice choice = start_from_scratch(question);
  for (const Checkpoint& each : question.found)
    if (each.complete && std::ranges::find(choice.put_aside, each.name) != choice.put_aside.end())
      choice.ahead.push_back(each.name);
  return choice;
}

bool is_meant(const Checkpoint& checkpoint, const protocol::CommonStep& common) {
  return checkpoint.step == common.step && (!common.name || fingerprint_in_common(checkpoint.name) == *common.name);
}

// Chooses as if what is newer than that step were not there.
ResumeChoice resume_step(const ResumeQuestion& question, const protocol::CommonStep& common) {
  const auto chosen = std::ranges::find_if(question.found, [&](const Checkpoint& each) {
    return is_meant(each, common) && may_be_resumed(each, question.made, question.format_is_certain);
  });
  ResumeChoice choice;
  if (chosen == question.found.end()) {
    choice.step_gone = "all ranks are to resume from step " + std::to_string(*common.step) +
                       ", and this rank's volume holds no complete checkpoint of it that counts: the next attempt "
                       "lists again what each rank has";
    return choice;
  }
  Checkpoints newer;
  ResumeQuestion rest = question;
  rest.found.clear();
  for (auto each = question.found.begin(); each != question.found.end(); ++each)
    (each < chosen && each->complete ? newer : rest.found).push_back(*each);
  // The operator has seen that some rank cannot prove it.
  if (rest.expected_step && protocol::was_put_aside(*rest.expected_step, common.step, common.unproven_step)) {
    rest.expected_step.reset();
    rest.expected_checkpoint.clear();
  }
  const auto& expected = rest.expected_step;
  if (expected && !holds(rest, *expected)) return lost_by_all(question, "of step " + std::to_string(*expected));
  if (expected && is_older_than_expected(rest, *chosen)) return lost_by_all(question, question.expected_checkpoint);
  choice = resume_latest(rest);
  const std::size_t torn_ones = choice.put_aside.size();
  for (const Checkpoint& each : newer) renounce(question, each, choice);
  choice.ahead.assign(choice.put_aside.begin() + static_cast<std::ptrdiff_t>(torn_ones), choice.put_aside.end());
  return choice;
}

ResumeChoice resume_common(const ResumeQuestion& question, const protocol::CommonStep& common) {
  if (common.step && question.policy == ResumePolicy::Latest) return resume_step(question, common);
  if (common.step) {
    ResumeChoice choice;
    choice.step_gone = "all ranks are to resume from step " + std::to_string(*common.step) +
                       ", but this rank's volume starts from scratch: the next attempt lists again what each rank has";
    return choice;
  }
  if (question.policy == ResumePolicy::FromScratch) return start_from_scratch(question);
  if (question.expected_step) return lost_by_all(question, "of step " + std::to_string(*question.expected_step));
  return start_all_anew(question);
}

}  // namespace

bool may_be_resumed(const Checkpoint& checkpoint, const MadeCheckpoints& made, bool format_is_certain) {
  return checkpoint.complete && (format_is_certain || !may_be_none(checkpoint, made));
}

ResumePolicy policy_in_force(const ScratchQuestion& question) {
  if (question.policy != ResumePolicy::FromScratch || !question.since) return question.policy;
  if (question.checkpoint_expected && *question.since < question.self.attempt) return ResumePolicy::Latest;
  const bool saved = std::ranges::any_of(question.made, [&](const MadeCheckpoint& each) {
    return each.job_uid == question.self.job_uid && each.attempt >= *question.since &&
           each.attempt < question.self.attempt;
  });
  const bool started =
      saved || std::any_of(question.published.begin(), question.published.end(), [&](const ResumePoint& point) {
        return point.job_uid == question.self.job_uid && point.attempt >= *question.since &&
               point.attempt < question.self.attempt && point.rejection.empty();
      });
  return started ? ResumePolicy::Latest : ResumePolicy::FromScratch;
}

ResumeChoice choose_resume(const ResumeQuestion& question) {
  if (question.policy == ResumePolicy::Never) return {};
  if (question.common) return resume_common(question, *question.common);
  return question.policy == ResumePolicy::FromScratch ? start_from_scratch(question) : resume_latest(question);
}

}  // namespace reprise::agent
