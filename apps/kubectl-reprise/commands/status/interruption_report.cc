#include "apps/kubectl-reprise/commands/status/interruption_report.h"

#include <fmt/format.h>

#include "apps/kubectl-reprise/commands/status/status_view.h"
#include "apps/kubectl-reprise/terminal/time_text.h"
#include "runtime/kube/conditions.h"

namespace reprise::plugin {
namespace {

std::string step_text(const api::ResumableJob& job, kube::Time now) {
  const auto& checkpoint = job.status.checkpoint;
  if (!checkpoint) return "none reported";
  const std::string age = age_text(checkpoint->time, now);
  return fmt::format("{}{}", checkpoint->step, age.empty() ? "" : " (saved " + age + " before)");
}

std::string answer_text(std::optional<bool> answer) {
  return !answer ? "not known" : *answer ? "yes" : "no";
}

// The report of this very interruption, not of an earlier one.
const api::LastInterruption* interruption_of(const api::ResumableJob& before, const api::ResumableJob& after) {
  if (after.status.interruption_count <= before.status.interruption_count || !after.status.last_interruption)
    return nullptr;
  return &*after.status.last_interruption;
}

}  // namespace

Passage passage_of(const api::ResumableJob& job, std::int32_t attempt) {
  const auto& conditions = job.status.conditions;
  if (kube::is_true(conditions, "Complete") || kube::is_true(conditions, "Failed")) return Passage::Finished;
  if (job.status.attempt > attempt && kube::is_true(conditions, "PodsReady")) return Passage::Resumed;
  if (kube::is_true(conditions, "Suspended") || kube::is_true(conditions, "Stalled")) return Passage::Stopped;
  return Passage::Under;
}

std::string interruption_report(const api::ResumableJob& before, const api::ResumableJob& after, kube::Time asked,
                                kube::Time now) {
  const std::int32_t attempt = before.status.attempt;
  const std::string took = length_text(std::chrono::floor<std::chrono::seconds>(now - asked));
  std::string text;
  switch (passage_of(after, attempt)) {
    case Passage::Resumed:
      text = fmt::format("Attempt {} was interrupted; attempt {} runs with all its pods after {}.\n", attempt,
                         after.status.attempt, took);
      break;
    case Passage::Finished:
      text = fmt::format("The job has ended meanwhile: {}.\n", state_of(after));
      break;
    case Passage::Stopped:
      text = fmt::format("Attempt {} was interrupted, and the job does not go on: {}.\n", attempt, state_of(after));
      break;
    case Passage::Under:
      text = fmt::format("After {} the job still says {}; it goes on with that.\n", took, state_of(after));
      break;
  }
  const api::LastInterruption* interruption = interruption_of(before, after);
  const auto lost =
      kube::bounded_seconds(after.status.lost_seconds) - kube::bounded_seconds(before.status.lost_seconds);
  // The operator knows the loss when it has read how the attempt ended.
  const bool closed = after.status.attempt > attempt || !after.status.attempt_end;
  text += "  step before    " + step_text(before, asked) + "\n";
  text += "  step after     " + step_text(after, now) + "\n";
  text += "  asked to save  " + answer_text(interruption == nullptr ? std::nullopt : interruption->asked) + "\n";
  text += "  saved          " + answer_text(interruption == nullptr ? std::nullopt : interruption->saved) + "\n";
  return text + "  work lost      " + (closed ? length_text(lost) : "not known yet") + "\n";
}

}  // namespace reprise::plugin
