// The phases of decide(), one source file each; private to this folder.
#pragma once

#include <algorithm>
#include <vector>

#include "controllers/common/conditions.h"
#include "controllers/resumablejob/decide/plan.h"
#include "controllers/resumablejob/ranks/ranks.h"
#include "controllers/resumablejob/ranks/verdict.h"
#include "controllers/resumablejob/steps/schedule.h"

namespace reprise::controllers::resumablejob {

// The reason for a creation that is rejected, as batch/Job calls it.
inline constexpr std::string_view kFailedCreate = "FailedCreate";

// The reason of PodsReady while a job in a queue of Kueue is not admitted.
inline constexpr std::string_view kWaitForQuota = "WaitForQuota";

// A reason and its message, for a condition.
struct Saying {
  std::string reason, message;
};
enum class SuspendedBy { Person, InterruptionLimit, CostLimit };
[[nodiscard]] std::string_view reason_of(SuspendedBy cause);
struct Suspension {
  SuspendedBy by = SuspendedBy::Person;
  std::string message;
};
// The findings of a pass about the moment. None is remembered: the next pass finds them again.
struct Outlook {
  bool ready = false;                   // all ranks are ready
  std::string held = {};                // says whose GPU is held beside a trainer that has finished, and by what
  std::optional<Saying> waits;          // why the ranks are not ready
  std::optional<Saying> stalled;        // a person has to help
  bool is_tried_again = false;          // the API server is asked again, without anybody's help
  std::optional<Saying> reconciling;    // the work that is being done
  std::optional<Suspension> suspended;  // no attempt is wanted
  // The news of the newest checkpoint in this pass; without any, an earlier pass's news stand.
  struct CheckpointNews {
    kube::ConditionStatus ready = kube::ConditionStatus::Unknown;
    Saying said;
  };
  std::optional<CheckpointNews> checkpoint;
  Schedule schedule;  // by the status as it will be written
};

struct PlanBuilder {
  const Observation& seen;
  const Settings& settings;
  Plan plan;
  ConditionSetter conditions;
  Outlook outlook = {};
  const bool first_step;  // in this pass: nothing is planned yet

  PlanBuilder(const Observation& observation, const Settings& given);
  // The next step of one pass: goes on with what `before` has planned.
  PlanBuilder(const Observation& observation, PlanBuilder&& before);
  PlanBuilder(const PlanBuilder&) = delete;
  PlanBuilder& operator=(const PlanBuilder&) = delete;
  api::ResumableJobStatus& status() { return plan.status; }
  // Plans it once, whichever steps of a pass want it.
  void delete_pod(const kube::Pod& pod, std::optional<std::int64_t> grace_period_seconds = std::nullopt);
  // Announces it once, whichever steps of a pass say it.
  void announce(EventType type, std::string reason, std::string action, std::string note) {
    const bool said = std::ranges::any_of(
        plan.announcements, [&](const Announcement& other) { return other.reason == reason && other.note == note; });
    if (!said) plan.announcements.push_back({type, std::move(reason), std::move(action), std::move(note)});
  }
};

// No attempt is under way: begins one, unless a gate is closed. (begin_attempt.cc)
void begin_attempt(PlanBuilder& builder);
// Runs the current attempt: creates missing pods, asks for checkpoints at hints, updates readiness. (run_attempt.cc)
void run_attempt(PlanBuilder& builder, const std::vector<Rank>& ranks);
// Tells of a rank that has finished while a container beside its trainer runs on. (held_gpus.cc)
void tell_held_gpus(PlanBuilder& builder, const std::vector<Rank>& ranks);
// Ends the attempt, proves its end and closes it, once status.attemptEnd is set. (end_attempt.cc)
void end_attempt(PlanBuilder& builder, std::vector<Rank> ranks);
// Counts and announces a verdict that was just reached. (end_attempt.cc)
void record_verdict(PlanBuilder& builder, const Verdict& reached);
// Tidies up after a job that is Complete or Failed: nothing else is left. (finish.cc)
void tidy_finished(PlanBuilder& builder);
// Says why no pod that mounts the checkpoint claims may be made now; empty: nothing speaks against it.
// (reserve_claims.cc)
[[nodiscard]] std::string why_claims_are_taken(const Observation& seen);
// The same, where it is another job. (reserve_claims.cc)
[[nodiscard]] std::string why_another_job_keeps_claims(const Observation& seen);
// True when this attempt's name stands on every claim of the job; writes it where it may. (reserve_claims.cc)
[[nodiscard]] bool reserve_claims(PlanBuilder& builder);
// The headless Service through which the ranks find each other, where it is missing. (begin_attempt.cc)
void create_service(PlanBuilder& builder);
// Ends the job, Succeeded or Failed. (finish.cc)
void finish_job(PlanBuilder& builder, api::AttemptEnd end);
[[nodiscard]] inline bool is_finished(const api::ResumableJobStatus& status) {
  return status.completion_time.has_value();
}
// A limit that the job has set itself is reached: no attempt begins until it is raised. Nothing: none is. As it is
// written, or now. (limits.cc)
[[nodiscard]] std::optional<Suspension> reached_limit(const api::ResumableJobSpec& spec,
                                                      const api::ResumableJobStatus& status);
[[nodiscard]] std::optional<Suspension> reached_limit(const PlanBuilder& builder);
void suspend_at_limit(PlanBuilder& builder, Suspension limit);
// Suspends the job: spec.suspend is true, and no attempt is under way. (finish.cc)
void suspend_as_requested(PlanBuilder& builder);
// Suspended, by whomever: the clock of activeDeadlineSeconds begins anew when the job goes on. (finish.cc)
void stop_clock(PlanBuilder& builder);
// Kueue (quota.cc). No attempt is under way: a Workload that is not wanted goes, and one that was evicted gives its
// quota back.
void settle_workload(PlanBuilder& builder);
// No attempt can begin before a person has helped: others may have the quota meanwhile. Its place in the queue goes
// with it.
void give_quota_back(PlanBuilder& builder);
// Says why the next attempt may not begin before Kueue has admitted the job; empty: it may.
struct WaitsForQuota {
  Saying said;
  bool needs_a_person = false;
};
[[nodiscard]] std::optional<WaitsForQuota> wait_for_quota(PlanBuilder& builder);
// Tells Kueue whether the pods are ready, which it may wait for.
void report_to_workload(PlanBuilder& builder);
void finish_workload(PlanBuilder& builder);
// Goes by a status whose conditions are as they will be written. (priority_boost.cc)
void boost_priority(PlanBuilder& builder);
// The job's own condition QuotaReserved; empty for a job without a Workload.
[[nodiscard]] std::optional<kube::Condition> quota_condition(const Observation& seen);
// The job was evicted, and no attempt is under way.
void wait_in_queue(PlanBuilder& builder, std::string message);
// Takes over what ranks say while they train. (live_progress.cc)
void take_reports(PlanBuilder& builder, const std::vector<Rank>& ranks);
// Redirects the reports of an attempt that runs undisturbed, where they go to a certificate that is no more.
void point_reports(PlanBuilder& builder, const std::vector<Rank>& ranks);
// Forgets what the ranks of an attempt that has ended were doing.
void forget_activity(api::ResumableJobStatus& status);
// Fills in status.progress.checkpoint of a status that has none, where it differs from what is written anyway.
void show_recorded_checkpoint(api::ResumableJobStatus& status, const api::ResumableJobStatus& written);
// Takes over what the agents' records say: step, saved, lost time. (progress.cc)
void take_records(PlanBuilder& builder, const std::vector<Rank>& ranks);
// Counts how far the job is where it goes on from that step. (progress.cc)
void count_from(std::int64_t step, api::ProgressStatus& progress);
// CheckpointReady: a trainer that does not save as often as it should. Once in a pass, when the status is as it will be
// written but for the conditions. (checkpoint_age.cc)
void judge_checkpoint_age(PlanBuilder& builder);
// OnSchedule: looks again when time alone changes it. When the status is as it will be written but for the conditions.
// (conditions.cc)
void judge_schedule(PlanBuilder& builder);
// CheckpointReady's reason and message for a checkpoint that is kept. (checkpoint_age.cc)
[[nodiscard]] Saying kept_as(std::int64_t step, bool durable);
// The volume as an agent has told of it; empty where that is not as agents tell it. (checkpoint_volume.cc)
[[nodiscard]] kube::Rare<api::VolumeStatus> volume_as(const std::optional<protocol::ReportedVolume>& told);
// Counts and announces one interruption. (end_attempt.cc)
void count_interruption(PlanBuilder& builder, const api::AttemptEnd& end, std::optional<kube::Time> signal_time);
// Counts as planned an interruption that was counted, by which the pool moved the job.
void count_as_planned(api::ResumableJobStatus& status, const api::AttemptEnd& end);
// Deletes standby pods of this job that are not wanted any more. (standby.cc)
void drop_standby(PlanBuilder& builder);
// Deletes standby pods without a node: the attempt's own pods ask for nodes now, and such a pod would have another one
// rented. (standby.cc)
void drop_waiting_standby(PlanBuilder& builder);
// True when a rank's pod has been without a node for longer than preemption takes, while a standby pod has one: its
// node is of no use to the rank, and may be the last that the pool's limit allows. (standby.cc)
[[nodiscard]] bool standby_is_in_the_way(PlanBuilder& builder, const std::vector<Rank>& ranks);
void hold_places(PlanBuilder& builder, const std::vector<Rank>& ranks);
// True for a standby pod that only keeps its node from looking empty. (node_keepers.cc)
[[nodiscard]] bool keeps_node(const kube::Pod& pod);
// Keeps the nodes to which ranks of an attempt that ends will come back from looking empty meanwhile. (node_keepers.cc)
void keep_nodes(PlanBuilder& builder, const std::vector<Rank>& ranks);
// Deletes keepers whose node ranks of the next attempt have, or whose ranks have found others. (node_keepers.cc)
void drop_needless_keepers(PlanBuilder& builder, const std::vector<Rank>& ranks);
// Says that the API server would not let the job have what it needs, until it does. (conditions.cc)
void show_rejection(PlanBuilder& builder);
// Makes the conditions, out of the status's other fields and the outlook. (conditions.cc)
void project_conditions(PlanBuilder& builder);
// True when the job has said so before this pass: Events tell a change once. (conditions.cc)
[[nodiscard]] bool said_before(const PlanBuilder& builder, std::string_view type, std::string_view reason);
// No newer step in that many attempts in a row: the next ones wait longer and longer.
inline constexpr std::int32_t kAttemptsWithoutProgress = 3;
// The job is called stalled: by as many that had their time, or by these where machines are taken too soon to tell.
// (docs/decisions/attempts/0085-sudden-losses.md)
inline constexpr std::int32_t kAttemptsInVain = 10;
[[nodiscard]] bool makes_no_progress(const api::ResumableJobStatus& status);
// Deletes pods of attempts that are closed: left by a crash between the closing and the deletion, or created by a
// request whose answer was lost. (orphans.cc)
void delete_orphans(PlanBuilder& builder);
// True for a pod that failed by itself and is one of the spec.keepFailedPods newest. (orphans.cc)
[[nodiscard]] bool is_kept_failure(const Observation& seen, const kube::Pod& pod);
inline constexpr std::chrono::seconds kLongestPause{360};
// After two rejections in a row: each rents a machine for the pool's idleSeconds, and nobody trains on it.
inline constexpr std::chrono::seconds kLongestPauseAfterRejections{3600};
// The more attempts in a row made no progress, the longer the wait: 10 s doubling to 6 min, as batch/Job does.
[[nodiscard]] std::chrono::seconds backoff(std::int32_t without_progress, std::chrono::seconds longest = kLongestPause);

}  // namespace reprise::controllers::resumablejob
