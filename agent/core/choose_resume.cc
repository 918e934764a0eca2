#include "agent/core/choose_resume.h"

#include <algorithm>

#include "agent/core/checkpoint_order.h"

namespace reprise::agent {
namespace {

// Data that happens to have a marker and a high number is not what was saved.
bool holds(const ResumeQuestion& question, std::int64_t step) {
  return std::any_of(question.found.begin(), question.found.end(), [&](const Checkpoint& each) {
    return each.complete && each.step >= step && !may_be_none(each, question.made);
  });
}

// What was completed before the expected one, which is complete no more, is older, whatever their numbers.
bool is_older_than_expected(const ResumeQuestion& question, const Checkpoint& resume) {
  const auto& expected = question.expected_checkpoint;
  const bool still_there = std::any_of(question.found.begin(), question.found.end(),
                                       [&](const Checkpoint& each) { return each.complete && each.name == expected; });
  if (still_there) return false;
  const auto order_of = [&](const std::string& name) {
    std::int64_t order = 0;
    for (const MadeCheckpoint& each : question.made) {
      if (each.name == name) order = each.order;
    }
    return order;
  };
  const std::int64_t resumed = order_of(resume.name);
  return resumed > 0 && resumed < order_of(expected);
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

}  // namespace

ResumePolicy policy_in_force(const ScratchQuestion& question) {
  if (question.policy != ResumePolicy::FromScratch || !question.since) return question.policy;
  if (question.checkpoint_expected && *question.since < question.self.attempt) return ResumePolicy::Latest;
  const bool started = std::any_of(question.published.begin(), question.published.end(), [&](const ResumePoint& point) {
    return point.job_uid == question.self.job_uid && point.attempt >= *question.since &&
           point.attempt < question.self.attempt && point.rejection.empty();
  });
  return started ? ResumePolicy::Latest : ResumePolicy::FromScratch;
}

ResumeChoice choose_resume(const ResumeQuestion& question) {
  ResumeChoice choice;
  if (question.policy == ResumePolicy::Never) return choice;
  if (question.policy == ResumePolicy::FromScratch) {
    // Older, higher steps would be taken for newer than what this attempt saves. What may be the trainer's data is not
    // taken away from it.
    const bool none_complete = std::ranges::none_of(question.found, &Checkpoint::complete);
    if (none_complete && !question.format_is_certain) return choice;
    for (const Checkpoint& each : question.found) {
      const bool may_be_data = !question.format_is_certain && each.complete && may_be_none(each, question.made);
      (may_be_data ? choice.left_out : choice.put_aside).push_back(each.name);
    }
    return choice;
  }
  const auto complete = std::find_if(question.found.begin(), question.found.end(), [&](const Checkpoint& each) {
    return each.complete && (question.format_is_certain || !may_be_none(each, question.made));
  });
  if (complete != question.found.end()) choice.resume = *complete;
  for (const Checkpoint& each : question.found) {
    if (!each.complete) choice.put_aside.push_back(each.name);
  }
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
  if (!choice.resume && !question.format_is_certain && !choice.put_aside.empty()) {
    choice.note = "no checkpoint is known to be complete (" + choice.put_aside.front() +
                  " is not): all were left alone and training starts anew";
    choice.put_aside.clear();
  }
  return choice;
}

}  // namespace reprise::agent
