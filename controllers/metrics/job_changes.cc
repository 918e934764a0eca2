#include "controllers/metrics/job_changes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "controllers/metrics/condition_changes.h"
#include "controllers/metrics/seconds.h"
#include "controllers/metrics/table.h"

namespace reprise::controllers::metrics {
namespace {

using api::AttemptEndCause;
using api::ResumableJobStatus;

constexpr std::array<std::string_view, 30> kReasons{
    "SpotInterrupted",
    "SpotRebalanceRecommendation",
    "ScheduledMaintenance",
    "InstanceTerminating",
    "Disrupted",
    "ToBeDeletedByClusterAutoscaler",
    "OutOfService",
    "NodeShutdown",
    "PreemptionScheduled",
    "VMEventScheduled",
    "NodeClaimDeleted",
    "NodeDeleted",
    "NodeLost",
    "PodDeleted",
    "TerminationByKubelet",
    "ContainerStatusUnknown",
    "DeletionByTaintManager",
    "DeletionByPodGC",
    "EvictionByEvictionAPI",
    "PreemptionByScheduler",
    "InstanceStopping",
    "InstanceUnhealthy",
    "PreemptScheduled",
    "ScheduledEvent",
    "CapacityReservationInstanceInterrupted",
    "Drifted",
    "Underutilized",
    "HardwareFailure",
    "NodeDrifted",
    "PreferredCapacity",
};

constexpr std::array kCauses{AttemptEndCause::Interruption,
                             AttemptEndCause::CheckpointedExit,
                             AttemptEndCause::ApplicationFailure,
                             AttemptEndCause::IgnoredFailure,
                             AttemptEndCause::Rejected,
                             AttemptEndCause::NotInstalled,
                             AttemptEndCause::Refused,
                             AttemptEndCause::Hung,
                             AttemptEndCause::VolumeFull,
                             AttemptEndCause::Outdated,
                             AttemptEndCause::Suspended,
                             AttemptEndCause::PodsReadyTimeout,
                             AttemptEndCause::Succeeded,
                             AttemptEndCause::Failed,
                             AttemptEndCause::Deleted};

std::string_view name_of(AttemptEndCause cause) {
  switch (cause) {
    case AttemptEndCause::Interruption:
      return "Interruption";
    case AttemptEndCause::CheckpointedExit:
      return "CheckpointedExit";
    case AttemptEndCause::ApplicationFailure:
      return "ApplicationFailure";
    case AttemptEndCause::IgnoredFailure:
      return "IgnoredFailure";
    case AttemptEndCause::Rejected:
      return "Rejected";
    case AttemptEndCause::NotInstalled:
      return "NotInstalled";
    case AttemptEndCause::Refused:
      return "Refused";
    case AttemptEndCause::Hung:
      return "Hung";
    case AttemptEndCause::VolumeFull:
      return "VolumeFull";
    case AttemptEndCause::Outdated:
      return "Outdated";
    case AttemptEndCause::Suspended:
      return "Suspended";
    case AttemptEndCause::PodsReadyTimeout:
      return "PodsReadyTimeout";
    case AttemptEndCause::Succeeded:
      return "Succeeded";
    case AttemptEndCause::Failed:
      return "Failed";
    case AttemptEndCause::Deleted:
      return "Deleted";
  }
  return {};
}

class Comparison {
 public:
  Comparison(const api::ResumableJob& job, const ResumableJobStatus& before, const ResumableJobStatus& after,
             kube::Time now)
      : job_(job), before_(before), after_(after), now_(now) {}

  Changes all() {
    interruptions();
    attempts();
    recovery();
    saves();
    fence();
    Changes conditions = changes_of_conditions("ResumableJob", before_.conditions, after_.conditions, now_);
    changes_.insert(changes_.end(), conditions.begin(), conditions.end());
    return std::move(changes_);
  }

 private:
  void add(const char* name, double value, runtime::Labels more = {}) {
    more.emplace_back("pool", job_.spec.pool_name);
    changes_.push_back({name, std::move(more), value});
  }
  void count(const char* name, double value, runtime::Labels more = {}) {
    if (value > 0) add(name, value, std::move(more));
  }

  void interruptions() {
    for (const api::InterruptionCount& now : after_.interruptions) {
      const auto was =
          std::ranges::find_if(before_.interruptions, [&](const auto& c) { return c.reason == now.reason; });
      const std::int32_t counted = was == before_.interruptions.end() ? 0 : was->count;
      count(kInterruptions, now.count - counted, {{"reason", std::string(bounded_reason(now.reason))}});
    }
    const bool another = after_.interruption_count > before_.interruption_count && after_.last_interruption;
    if (!another) return;
    const api::LastInterruption& last = *after_.last_interruption;
    if (last.notice_seconds) add(kNoticeSeconds, *last.notice_seconds);
    if (last.signal_time) add(kRecoverySeconds, seconds_between(*last.signal_time, last.time), {{"phase", "noticed"}});
  }

  // An attempt that has not begun can have no end: a job may end before its first attempt.
  [[nodiscard]] bool closed_one() const {
    if (!after_.last_end || after_.last_end == before_.last_end) return false;
    return !before_.members.empty() || after_.last_end->attempt > before_.attempt;
  }

  void attempts() {
    count(kAttemptsBegun, after_.attempt - before_.attempt);
    count(kFailures, after_.failures - before_.failures);
    if (!closed_one()) return;
    const api::AttemptEnd& end = *after_.last_end;
    add(kAttemptsEnded, 1, {{"cause", std::string(name_of(end.cause))}});
    if (const auto lost = static_cast<double>(after_.lost_seconds - before_.lost_seconds); lost > 0) {
      add(kLostSeconds, lost);
      add(kCheckpointAgeAtEnd, lost);
      if (lost > 2.0 * job_.spec.checkpoint.period_seconds) add(kCheckpointsOverdue, 1);
    }
    if (end.cause != AttemptEndCause::Interruption || !after_.last_interruption) return;
    const api::LastInterruption& last = *after_.last_interruption;
    add(kSaves, 1, {{"result", !last.saved ? "unknown" : *last.saved ? "saved" : "not_saved"}});
    const bool timed = last.saved.value_or(false) && after_.checkpoint && after_.checkpoint->time;
    if (timed && *after_.checkpoint->time >= last.time)
      add(kSaveSeconds, seconds_between(last.time, *after_.checkpoint->time));
  }

  void phase(const char* name, kube::Time at) {
    add(kRecoverySeconds, seconds_between(after_.last_interruption->time, at), {{"phase", name}});
  }

  // Told when it is first written: the next leader finds it in the status.
  void phase_of(const char* name, std::optional<kube::Time> api::LastInterruption::*time) {
    const auto& was = before_.last_interruption;
    const api::LastInterruption& is = *after_.last_interruption;
    const bool told = was && was->time == is.time && ((*was).*time).has_value();
    if (!told && is.*time) phase(name, *(is.*time));
  }

  void recovery() {
    if (!after_.last_interruption) return;
    phase_of("ended", &api::LastInterruption::ended_time);
    phase_of("training", &api::LastInterruption::training_time);
    const auto& was = before_.last_interruption;
    const bool recovered_before = was && was->time == after_.last_interruption->time && was->recovered_time;
    if (recovered_before) return;
    if (closed_one() && after_.last_end->cause == AttemptEndCause::Interruption) phase("proven", now_);
    if (after_.attempt > before_.attempt) phase("begun", now_);
    if (!after_.last_interruption->recovered_time) return;
    if (before_.starting_since) phase("placed", *before_.starting_since);
    phase("running", *after_.last_interruption->recovered_time);
  }

  // Counts the saves of a running attempt, each once: a step may be saved anew, and each rank has measured a save for
  // itself.
  void saves() {
    const auto& told = after_.progress;
    if (!told || !told->checkpoint || !told->checkpoint->save_seconds) return;
    const api::LiveCheckpointStatus& is = *told->checkpoint;
    const auto& was = before_.progress ? before_.progress->checkpoint : std::nullopt;
    const bool same = was && was->step == is.step && was->path == is.path && was->time == is.time;
    if (same && was->save_seconds) return;
    add(kCheckpointSaveSeconds, static_cast<double>(*is.save_seconds));
  }

  void fence() {
    if (!waits_for_fence(before_.conditions) && waits_for_fence(after_.conditions)) add(kNotFencedBegun, 1);
  }

  const api::ResumableJob& job_;
  const ResumableJobStatus& before_;
  const ResumableJobStatus& after_;
  kube::Time now_;
  Changes changes_;
};

}  // namespace

std::string_view bounded_reason(std::string_view reason) {
  const auto* found = std::ranges::find(kReasons, reason);
  return found == kReasons.end() ? "Other" : *found;
}

Changes changes_of(const api::ResumableJob& job, const ResumableJobStatus& before, const ResumableJobStatus& after,
                   kube::Time now) {
  return Comparison(job, before, after, now).all();
}

Changes zeros_of_pool(std::string_view pool) {
  const std::pair<std::string, std::string> of_pool{"pool", pool};
  Changes zeros;
  for (const char* name :
       {kLostSeconds, kCheckpointsOverdue, kAttemptsBegun, kFailures, kNotFencedBegun, kStuckNodeClaims})
    zeros.push_back({name, {of_pool}, 0});
  for (const std::string_view reason : {"SpotInterrupted", "NodeClaimDeleted", "Disrupted", "NodeLost", "PodDeleted"})
    zeros.push_back({kInterruptions, {of_pool, {"reason", std::string(reason)}}, 0});
  for (const AttemptEndCause cause : kCauses)
    zeros.push_back({kAttemptsEnded, {of_pool, {"cause", std::string(name_of(cause))}}, 0});
  for (const char* result : {"saved", "not_saved", "unknown"})
    zeros.push_back({kSaves, {of_pool, {"result", result}}, 0});
  for (const char* name : {kNoticeSeconds, kSaveSeconds, kCheckpointAgeAtEnd, kCheckpointSaveSeconds})
    zeros.push_back({name, {of_pool}, 0});
  for (const char* phase : {"noticed", "ended", "proven", "begun", "placed", "running", "training"})
    zeros.push_back({kRecoverySeconds, {of_pool, {"phase", phase}}, 0});
  return zeros;
}

}  // namespace reprise::controllers::metrics
