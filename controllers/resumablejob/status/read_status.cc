#include "controllers/resumablejob/status/read_status.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "controllers/common/conditions.h"

namespace reprise::controllers::resumablejob {
namespace {

using api::AttemptEndCause;

// An earlier version that leads again, after a rollback, leaves the fields alone that it does not know: they may be of
// another attempt than the rest, which counts.
bool is_of_this_end(const api::ResumableJobStatus& status) {
  const bool complete = is_true(status.conditions, "Complete");
  return status.last_end && status.last_end->attempt == status.attempt &&
         (status.last_end->cause == AttemptEndCause::Succeeded) == complete;
}

bool is_of_another_attempt(const std::optional<api::LostCheckpoint>& lost, const api::ResumableJobStatus& status) {
  return lost && lost->attempt != status.attempt;
}

void read_finish(api::ResumableJobStatus& status) {
  const bool complete = is_true(status.conditions, "Complete");
  if (!complete && !is_true(status.conditions, "Failed")) return;
  const kube::Condition& said = *find_condition(status.conditions, complete ? "Complete" : "Failed");
  if (!status.completion_time) status.completion_time = said.last_transition_time;
  if (is_of_this_end(status)) return;
  status.last_end = api::AttemptEnd{.attempt = status.attempt,
                                    .cause = complete ? AttemptEndCause::Succeeded : AttemptEndCause::Failed,
                                    .reason = said.reason,
                                    .message = said.message,
                                    .node = {},
                                    .time = *status.completion_time,
                                    .deadline = {}};
}

void read_recovery(api::ResumableJobStatus& status) {
  if (!status.last_interruption || status.last_interruption->recovered_time) return;
  const kube::Condition* said = find_condition(status.conditions, "Interrupted");
  if (said == nullptr || said->reason != "Recovered") return;
  status.last_interruption->recovered_time = said->last_transition_time;
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + words.size());
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} ? std::optional(number) : std::nullopt;
}

void read_lost_checkpoint(api::ResumableJobStatus& status) {
  const kube::Condition* said = find_condition(status.conditions, "Stalled");
  const bool lost = said != nullptr && said->status == kube::ConditionStatus::True &&
                    said->reason == "CheckpointLost" && std::string_view(said->message).starts_with("agent: ");
  // The condition speaks of the attempt before, while an attempt ends or is under way.
  if (!lost || status.checkpoint_lost || status.attempt_end || !status.members.empty()) return;
  status.checkpoint_lost = api::LostCheckpoint{.attempt = status.attempt,
                                               .generation = said->observed_generation,
                                               .offered_step = number_after(said->message, "; to go on from step "),
                                               .message = said->message};
}

AttemptEndCause cause_of(std::string_view reason) {
  if (reason == "PodRejected") return AttemptEndCause::Rejected;
  if (reason == "AgentInstallFailed") return AttemptEndCause::NotInstalled;
  if (reason == "PodFailurePolicyIgnore") return AttemptEndCause::IgnoredFailure;
  if (reason == "PoolChanged" || reason == "ClaimNotFound" || reason == "ClaimReplaced") {
    return AttemptEndCause::Outdated;
  }
  return AttemptEndCause::Refused;
}

bool says(const api::ResumableJobStatus& status, std::string_view type, kube::ConditionStatus is,
          std::string_view reason) {
  const kube::Condition* said = find_condition(status.conditions, type);
  return said != nullptr && said->status == is && said->reason == reason;
}

// Quick: every pass asks, and hardly any job is old.
bool may_be_old(const api::ResumableJobStatus& status) {
  const bool finished = is_true(status.conditions, "Complete") || is_true(status.conditions, "Failed");
  if (finished) return !is_of_this_end(status) || !status.completion_time;
  if (status.last_interruption && !status.last_interruption->recovered_time &&
      says(status, "Interrupted", kube::ConditionStatus::False, "Recovered")) {
    return true;
  }
  if (is_of_another_attempt(status.checkpoint_lost, status)) return true;
  if (!status.checkpoint_lost && says(status, "Stalled", kube::ConditionStatus::True, "CheckpointLost")) return true;
  if (status.ready_attempt != status.attempt && is_true(status.conditions, "PodsReady")) return true;
  return status.attempt_end && status.attempt_end->cause == AttemptEndCause::IgnoredFailure;
}

}  // namespace

std::shared_ptr<const api::ResumableJob> read_old_status(const api::ResumableJob& job) {
  if (!may_be_old(job.status)) return nullptr;
  auto read = std::make_shared<api::ResumableJob>(job);
  api::ResumableJobStatus& status = read->status;
  read_finish(status);
  read_recovery(status);
  if (is_of_another_attempt(status.checkpoint_lost, status)) status.checkpoint_lost.reset();
  read_lost_checkpoint(status);
  if (is_true(status.conditions, "PodsReady") && !status.members.empty()) status.ready_attempt = status.attempt;
  if (status.attempt_end && status.attempt_end->cause == AttemptEndCause::IgnoredFailure) {
    status.attempt_end->cause = cause_of(status.attempt_end->reason);
  }
  return read;
}

}  // namespace reprise::controllers::resumablejob
