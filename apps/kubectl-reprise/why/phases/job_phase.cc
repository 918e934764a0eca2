// Explains a job by its own conditions.
#include <fmt/format.h>

#include <algorithm>

#include "api/labels.h"
#include "apps/kubectl-reprise/why/phases/phases.h"

namespace reprise::plugin::why {
namespace {

// Finds the job's cause that bears the reason's name.
std::optional<Cause> cause_named(std::string_view reason) {
  for (const CauseText& row : all_causes()) {
    if (row.name == reason && row.place == Place::Job) return row.cause;
  }
  return std::nullopt;
}

std::string of_job(const Job& job) {
  return job.meta.name + " -n " + job.meta.namespace_;
}

std::string patch(const Job& job, std::string_view spec) {
  return "kubectl patch resumablejob " + of_job(job) + " --type=merge -p '{\"spec\":" + std::string(spec) + "}'";
}

std::string trainer_log(const Job& job) {
  return "kubectl logs -n " + job.meta.namespace_ + " -l reprise.dev/job=" + job.meta.name +
         fmt::format(",reprise.dev/attempt={} --prefix --tail=50", job.attempt);
}

// "...: kubectl annotate ..." as the operator's messages end with it.
std::optional<std::string> command_in(std::string_view message) {
  const auto at = message.find("kubectl ");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = message.substr(at);
  return std::string(rest.substr(0, std::min(rest.find("; "), rest.find(", or "))));
}

// "set spec.checkpoint.keep to 2", as the operator advises it.
std::string keep_in(std::string_view message) {
  constexpr std::string_view words = "spec.checkpoint.keep to ";
  const auto at = message.find(words);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = message.substr(at + words.size());
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
}

// Comes before the command for a person who has made room by hand.
std::string make_room(const Job& job, std::string_view message) {
  if (const std::string keep = keep_in(message); !keep.empty())
    return patch(job, "{\"checkpoint\":{\"keep\":" + keep + "}}");
  return "kubectl get persistentvolumeclaims -n " + job.meta.namespace_ + "   # and let the one of the job grow";
}

bool reads_log(Cause cause) {
  return cause == Cause::BackoffLimitExceeded || cause == Cause::PodFailurePolicy || cause == Cause::NoProgress;
}

std::vector<std::string> at_job(const Inquiry& inquiry, Cause cause, const std::string& message) {
  const Job& job = *inquiry.seen.job;
  std::vector<std::string> to_do;
  if (auto command = command_in(message)) to_do.push_back(*std::move(command));
  if (cause == Cause::Suspended) {
    to_do.push_back(patch(job, "{\"suspend\":false}"));
  } else if (cause == Cause::InterruptionLimitReached) {
    to_do.push_back(patch(job, "{\"interruption\":{\"limit\":null}}"));
  } else if (cause == Cause::MaxCostReached) {
    to_do.push_back(patch(job, "{\"placement\":{\"maxCost\":null}}"));
  } else if (cause == Cause::CheckpointLost) {
    to_do.push_back(patch(job, "{\"resume\":\"FromScratch\"}") + "   # accepts the loss of all checkpoints");
  } else if (cause == Cause::VolumeFull) {
    to_do.insert(to_do.begin(), make_room(job, message));
  } else if (reads_log(cause)) {
    to_do.push_back(trainer_log(job));
  } else if (cause == Cause::PoolNotFound) {
    to_do.emplace_back("kubectl get gpupools");
  } else if (cause == Cause::NamespaceNotAllowed) {
    to_do.push_back("kubectl get gpupool " + job.pool_name + " -o jsonpath='{.spec.allowedNamespaces}'");
    to_do.push_back("kubectl get namespace " + job.meta.namespace_ + " --show-labels");
  } else if (cause == Cause::WaitForQuota) {
    to_do.push_back("kubectl get workloads -n " + job.meta.namespace_ + " -l reprise.dev/job=" + job.meta.name +
                    " -o yaml");
    to_do.push_back("kubectl get localqueues -n " + job.meta.namespace_);
  } else if (cause == Cause::NeverFits) {
    to_do.push_back(edit_pool(inquiry));
  } else if (cause == Cause::ClaimInUse) {
    to_do.push_back("kubectl get pods -n " + job.meta.namespace_);
  } else if (cause == Cause::WriterNotFenced) {
    to_do.push_back("kubectl describe resumablejob " + of_job(job));
  } else {  // the message names the field to edit
    to_do.push_back("kubectl edit resumablejob " + of_job(job));
  }
  return to_do;
}

void say(Inquiry& inquiry, Cause cause, const std::string& message) {
  inquiry.found(
      {.cause = cause, .object = inquiry.seen.subject, .found = message, .to_do = at_job(inquiry, cause, message)});
}

// The cause for the last attempt's end, where the end alone says why none gets on.
std::optional<Cause> end_that_tells(std::string_view reason) {
  for (const Cause each : {Cause::AgentInstallFailed, Cause::PodRejected, Cause::PodsReadyTimeout, Cause::TrainerHung})
    if (text_of(each).name == reason) return each;
  return std::nullopt;
}

// Explains by the attempt's end: no trainer has run that could have made progress, so its log says nothing.
void say_how_it_ends(Inquiry& inquiry, Cause end, const std::string& message) {
  const Job& job = *inquiry.seen.job;
  std::vector<std::string> to_do;
  for (const std::string& said : {message, job.last_end_message})
    if (auto command = command_in(said); command && to_do.empty()) to_do.push_back(*std::move(command));
  if (end == Cause::PodsReadyTimeout && !job.pool_name.empty())
    to_do.push_back("kubectl reprise why gpupool/" + job.pool_name);
  to_do.push_back(describe(inquiry.seen.subject));
  const bool says_how = job.last_end_message.empty() || message.find(job.last_end_message) != std::string::npos;
  inquiry.found({.cause = end,
                 .object = inquiry.seen.subject,
                 .found = says_how ? message : message + "; the last one: " + job.last_end_message,
                 .to_do = std::move(to_do)});
}

// Returns whether something was said.
bool look_at_stalled(Inquiry& inquiry) {
  const Condition* stalled = with_status(inquiry.seen.job->conditions, "Stalled", "True");
  if (stalled == nullptr) return false;
  if (stalled->reason == "FailedCreate") {
    inquiry.found(read_rejection(inquiry.seen.subject, stalled->message));
  } else if (const auto end = end_that_tells(inquiry.seen.job->last_end_reason);
             stalled->reason == "NoProgress" && end && *end != Cause::TrainerHung) {
    say_how_it_ends(inquiry, *end, stalled->message);
  } else {
    say(inquiry, cause_named(stalled->reason).value_or(Cause::Stalled), stalled->message);
  }
  return true;
}

// Standby pods hold places for the next attempt while the last one ends.
void look_at_standby(Inquiry& inquiry) {
  std::size_t all = 0, placed = 0;
  for (const Pod& pod : inquiry.seen.pods) {
    if (pod.meta.label(api::kStandbyLabel).empty()) continue;
    ++all;
    if (!pod.node_name.empty()) ++placed;
  }
  if (all == 0) return;
  inquiry.waits({.kind = "Pods", .namespace_ = {}, .name = "on standby"},
                fmt::format("{} of {} have a node for the next attempt", placed, all));
}

// Explains the wait of a job without a running attempt.
void look_at_waiting(Inquiry& inquiry, const Condition& waits) {
  const Job& job = *inquiry.seen.job;
  if (waits.reason == "WriterNotFenced" || waits.reason == "ClaimInUse" || waits.reason == "WaitForQuota") {
    return say(inquiry, *cause_named(waits.reason), waits.message);
  }
  const bool before_next = waits.reason == "WaitForRecovery";
  const auto end = end_that_tells(job.last_end_reason);
  // The next attempt may be luckier: it is a finding when several were not.
  const bool is_told = end && *end != Cause::PodsReadyTimeout;
  if (before_next && is_told && ranks_of_attempt(inquiry).empty()) {
    return inquiry.found({.cause = *end,
                          .object = inquiry.seen.subject,
                          .found = job.last_end_message,
                          .to_do = {describe(inquiry.seen.subject)}});
  }
  if (before_next) {
    look_at_standby(inquiry);
    return inquiry.found({.cause = Cause::Recovering,
                          .object = inquiry.seen.subject,
                          .found = waits.message,
                          .to_do = {"kubectl events --for resumablejob/" + of_job(job)}});
  }
  inquiry.waits(inquiry.seen.subject, waits.reason + ": " + waits.message);
}

}  // namespace

void look_at_job(Inquiry& inquiry) {
  const Job& job = *inquiry.seen.job;
  if (const Condition* complete = with_status(job.conditions, "Complete", "True")) {
    const bool doubtful = complete->reason == "NothingTrained" || complete->reason == "EndedShort";
    inquiry.ok(inquiry.seen.subject,
               doubtful ? "complete, and " + std::string(complete->reason) + ": " + std::string(complete->message)
                        : "complete");
    return inquiry.close();
  }
  if (const Condition* failed = with_status(job.conditions, "Failed", "True")) {
    return say(inquiry, cause_named(failed->reason).value_or(Cause::Stalled), failed->message);
  }
  if (const Condition* suspended = with_status(job.conditions, "Suspended", "True")) {
    return say(inquiry, cause_named(suspended->reason).value_or(Cause::Suspended), suspended->message);
  }
  if (look_at_stalled(inquiry)) return;
  if (const Condition* waits = with_status(job.conditions, "PodsReady", "False")) look_at_waiting(inquiry, *waits);
}

}  // namespace reprise::plugin::why
