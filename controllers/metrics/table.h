// Every metric that is Reprise's own: one table, from which the operator makes its families and
// docs/reference/metrics.md its rows (tests/monitoring/metrics_page).
#pragma once

#include <span>
#include <string_view>

namespace reprise::controllers::metrics {

enum class Type { Counter, Gauge, Histogram };
// Alpha: may change or go at any time. Beta: name and labels stay, or are announced a release before they change.
enum class Stability { Alpha, Beta };

struct Info {
  const char* name;
  Type type;
  Stability stability;
  const char* labels;  // "pool, reason"
  const char* help;
};

inline constexpr const char* kInterruptions = "reprise_interruptions_total";
inline constexpr const char* kNoticeSeconds = "reprise_interruption_notice_seconds";
inline constexpr const char* kRecoverySeconds = "reprise_recovery_seconds";
inline constexpr const char* kRecoveryPending = "reprise_recovery_pending_seconds";
inline constexpr const char* kSaves = "reprise_saves_on_interruption_total";
inline constexpr const char* kSaveSeconds = "reprise_save_on_interruption_seconds";
inline constexpr const char* kLostSeconds = "reprise_lost_seconds_total";
inline constexpr const char* kCheckpointAgeAtEnd = "reprise_checkpoint_age_at_end_seconds";
inline constexpr const char* kCheckpointsOverdue = "reprise_checkpoints_overdue_total";
inline constexpr const char* kCheckpointKnownAge = "reprise_checkpoint_known_age_seconds";
inline constexpr const char* kCheckpointsOverdueNow = "reprise_checkpoints_overdue";
inline constexpr const char* kCheckpointSaveSeconds = "reprise_checkpoint_save_seconds";
inline constexpr const char* kAttemptsBegun = "reprise_attempts_begun_total";
inline constexpr const char* kAttemptsEnded = "reprise_attempts_ended_total";
inline constexpr const char* kFailures = "reprise_job_failures_total";
inline constexpr const char* kJobs = "reprise_jobs";
inline constexpr const char* kNotFencedBegun = "reprise_writers_not_fenced_total";
inline constexpr const char* kNotFencedNow = "reprise_writers_not_fenced";
inline constexpr const char* kStuckNodeClaims = "reprise_node_claims_stuck_total";
inline constexpr const char* kJobCheckpointAge = "reprise_job_checkpoint_age_seconds";
inline constexpr const char* kJobCheckpointStep = "reprise_job_checkpoint_step";
inline constexpr const char* kJobProgressStep = "reprise_job_progress_step";
inline constexpr const char* kJobInterruptions = "reprise_job_interruptions";
inline constexpr const char* kJobLostSeconds = "reprise_job_lost_seconds";
inline constexpr const char* kJobSaveSeconds = "reprise_job_save_seconds";
inline constexpr const char* kJobRestoreSeconds = "reprise_job_restore_seconds";
inline constexpr const char* kJobMetricsLeftOut = "reprise_job_metrics_left_out";
inline constexpr const char* kPoolNodes = "reprise_pool_nodes";
inline constexpr const char* kPoolGpus = "reprise_pool_gpus";
inline constexpr const char* kPoolGpusLimit = "reprise_pool_gpus_limit";
inline constexpr const char* kPoolUnits = "reprise_pool_units";
inline constexpr const char* kPoolCost = "reprise_pool_cost_dollars_per_hour";
inline constexpr const char* kPoolNeverUseful = "reprise_pool_machines_never_useful";
inline constexpr const char* kPoolIdleCost = "reprise_pool_idle_cost_dollars_per_hour";
inline constexpr const char* kPoolOnDemandCost = "reprise_pool_on_demand_cost_dollars_per_hour";
inline constexpr const char* kReports = "reprise_reports_total";
inline constexpr const char* kConditionCount = "reprise_status_condition_count";
inline constexpr const char* kConditionCurrent = "reprise_status_condition_current_status_seconds";
inline constexpr const char* kConditionTransitions = "reprise_status_condition_transitions_total";
inline constexpr const char* kConditionSeconds = "reprise_status_condition_transition_seconds";

// All of them, in the order in which the documentation shows them.
[[nodiscard]] std::span<const Info> all();
// `name`: one of the table's.
[[nodiscard]] const Info& info(std::string_view name);

}  // namespace reprise::controllers::metrics
