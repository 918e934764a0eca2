// The phases of decide(), one source file each; private to this folder.
#pragma once

#include <algorithm>
#include <vector>

#include "controllers/common/conditions.h"
#include "controllers/resumablejob/members.h"
#include "controllers/resumablejob/plan.h"

namespace reprise::controllers::resumablejob {

// As batch/Job calls it.
inline constexpr std::string_view kRefused = "FailedCreate";

// What a pass finds about the moment. Nothing of it is remembered: the next
// pass finds it again.
struct Saying {
  std::string reason, message;
};
struct Outlook {
  bool ready = false;                 // all ranks are
  std::optional<Saying> waits;        // why they are not
  std::optional<Saying> stalled;      // a person has to help
  std::optional<Saying> reconciling;  // what is being done
  std::optional<Saying> suspended;    // no attempt is wanted
};

struct Draft {
  const Observation& seen;
  const Settings& settings;
  Plan plan;
  ConditionSetter conditions;
  Outlook outlook = {};
  const bool first_step;  // of this pass: nothing is planned yet

  Draft(const Observation& observation, const Settings& given);
  // The next step of one pass: goes on with what `before` has planned.
  Draft(const Observation& observation, Draft&& before);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  api::ResumableJobStatus& status() { return plan.status; }
  // Once, whichever steps of a pass want it.
  void delete_pod(const kube::Pod& pod, std::optional<std::int64_t> grace_period_seconds = std::nullopt);
  // Once, whichever steps of a pass say it.
  void announce(EventType type, std::string reason, std::string action, std::string note) {
    const bool said = std::ranges::any_of(
        plan.announcements, [&](const Announcement& other) { return other.reason == reason && other.note == note; });
    if (!said) plan.announcements.push_back({type, std::move(reason), std::move(action), std::move(note)});
  }
};

// No attempt is under way: may one begin? (begin_attempt.cc)
void begin_attempt(Draft& draft);
// An attempt is under way and nothing speaks against it. (run_attempt.cc)
void run_attempt(Draft& draft, const std::vector<Member>& members);
// status.attemptEnd is set: end it, prove it, close it. (end_attempt.cc)
void end_attempt(Draft& draft, std::vector<Member> members);
// Counts and announces a verdict that was just reached. (end_attempt.cc)
void record_verdict(Draft& draft, const api::AttemptEnd& end, const std::vector<Member>& members);
// Complete or Failed: nothing but tidying is left. (finish.cc)
void tidy_finished(Draft& draft);
// Why no pod that mounts the checkpoint claims may be made now; empty: nothing speaks against it. (reserve_claims.cc)
[[nodiscard]] std::string why_claims_are_taken(const Observation& seen);
// Whether this attempt's name stands on every claim of the job; writes it where it may. (reserve_claims.cc)
[[nodiscard]] bool reserve_claims(Draft& draft);
// The headless Service through which the members find each other, where it is missing. (begin_attempt.cc)
void create_service(Draft& draft);
// The job ends, Succeeded or Failed. (finish.cc)
void finish_job(Draft& draft, api::AttemptEnd end);
[[nodiscard]] inline bool is_finished(const api::ResumableJobStatus& status) {
  return status.completion_time.has_value();
}
// spec.interruption.limit is reached: no attempt begins until it is raised. (finish.cc)
[[nodiscard]] bool at_interruption_limit(const Draft& draft);
[[nodiscard]] bool at_interruption_limit(const api::ResumableJobSpec& spec, const api::ResumableJobStatus& status);
void suspend_at_limit(Draft& draft);
// Suspended, by whomever: the clock of activeDeadlineSeconds begins anew when the job goes on. (finish.cc)
void stop_clock(Draft& draft);
// Takes over what the agents' records say: step, saved, lost time. (progress.cc)
void take_records(Draft& draft, const std::vector<Member>& members);
// Counts and announces one interruption. (end_attempt.cc)
void count_interruption(Draft& draft, const api::AttemptEnd& end);
// Standby pods of this job that are not wanted any more. (standby.cc)
void drop_standby(Draft& draft);
// The attempt's own pods ask for machines now: a standby pod that has none would have another one rented. (standby.cc)
void drop_waiting_standby(Draft& draft);
// A member's pod has been without a node for longer than preemption takes, while a standby pod has one: its machine is
// of no use to the member, and may be the last that the pool's limit allows. (standby.cc)
[[nodiscard]] bool standby_is_in_the_way(Draft& draft, const std::vector<Member>& members);
void hold_places(Draft& draft, const std::vector<Member>& members);
// The API server would not let the job have what it needs: says so until it does. (conditions.cc)
void show_refusal(Draft& draft);
// The conditions, out of the status's other fields and the outlook.
// CheckpointReady is said where checkpoints are taken over (progress.cc).
// (conditions.cc)
void project_conditions(Draft& draft);
// Whether the job has said so before this pass: for Events, which tell a change
// once. (conditions.cc)
[[nodiscard]] bool said_before(const Draft& draft, std::string_view type, std::string_view reason);
// No newer step in that many attempts: the job is called stalled.
inline constexpr std::int32_t kAttemptsWithoutProgress = 3;
// Pods of attempts that are closed: left by a crash between the closing and the deletion, or created by a request whose
// answer was lost. (strays.cc)
void delete_strays(Draft& draft);
inline constexpr std::chrono::seconds kLongestPause{360};
// The longer the row of fruitless attempts, the longer the wait: 10 s doubling to 6 min, as batch/Job does.
[[nodiscard]] std::chrono::seconds backoff(std::int32_t fruitless);

}  // namespace reprise::controllers::resumablejob
