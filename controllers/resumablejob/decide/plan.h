// The plan for one job. The status is written first (it carries the intents); only when that has succeeded are the
// actions carried out, in order. Every action can be derived again from the written status, so a crash between any two
// of them loses nothing and repeats nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/kueue.h"
#include "api/pod_builder.h"
#include "api/resumable_job.h"
#include "runtime/kube/meta.h"

namespace reprise::controllers::resumablejob {

struct CreateClaim {
  kube::ObjectMeta meta;
  std::string spec_json;
};
struct CreateService {
  kube::ObjectMeta meta;
  kube::StringMap selector;
};
struct CreatePod {
  api::PodBuilder pod_builder;
};
// Writes on a checkpoint claim for whom it is. Holds only for the version seen: whoever else wrote there was faster.
struct ReserveClaim {
  std::string name, resource_version;
  std::string used_by;
  // Replace those that are there: without the job, which the claim outlives.
  std::optional<kube::List<kube::OwnerReference>> owners = {};
  bool owners_may_stay = false;  // the claim outlives the job with them too
};
// Graceful always: there is no action that force-deletes a pod.
struct DeletePod {
  std::string name, uid;
  std::optional<std::int64_t> grace_period_seconds;  // at least 1; absent: the pod's own
};
// Takes a pod that no node has out of the scheduler's hands, by calling it Failed: from then on it cannot come to run,
// and that can be seen. Holds only for the version seen.
struct MarkPodFailed {
  std::string name, uid, resource_version;
};
// Asks the machine behind a silent node to go, so that its end can be proven. Only while the API server itself says
// that it is one of that GpuPool's.
struct DeleteNodeClaim {
  std::string name, uid;
  std::string pool_name, pool_uid;
};
// Tells the agents of ranks with a volume each what they wait for, or go by (protocol/common_checkpoint.h).
struct AnnotatePod {
  std::string pod_name, pod_uid;
  std::string_view key;
  std::string value;
};
// Tells a running rank where it reports from now on: the value of protocol::kReportToAnnotation.
struct PointReports {
  std::string pod_name, pod_uid, to;
};
// Asks the agent for a checkpoint without ending anything.
struct RequestCheckpoint {
  std::string pod_name, pod_uid, id;
};
struct DeleteJob {  // ttlSecondsAfterFinished
  std::string name, uid;
};
// Asks Kueue for quota.
struct CreateWorkload {
  api::WorkloadRequest request;
};
// Gives the quota back, and the place in the queue.
struct DeleteWorkload {
  std::string name, uid;
};
// Gives the quota back after an eviction: nothing of the job writes any more. Holds only for the version seen.
struct ReleaseQuota {
  std::string name, resource_version;
  std::vector<kube::Condition> conditions;
};
// Tells Kueue how the job is. Holds only for the version seen.
struct ReportToWorkload {
  std::string name, resource_version;
  std::vector<kube::Condition> conditions;
};
// Tells Kueue what a preemption of the job would cost; 0: nothing. The job runs as well without it.
struct BoostPriority {
  std::string name, uid;
  std::int32_t boost = 0;
};

using Action = std::variant<CreateClaim, CreateService, ReserveClaim, CreatePod, DeletePod, MarkPodFailed,
                            DeleteNodeClaim, AnnotatePod, RequestCheckpoint, PointReports, DeleteJob, CreateWorkload,
                            DeleteWorkload, ReleaseQuota, ReportToWorkload, BoostPriority>;

enum class EventType { Normal, Warning };

struct Announcement {  // becomes an Event about the job
  EventType type = EventType::Normal;
  std::string reason;
  std::string action;
  std::string note;
};

struct Plan {
  api::ResumableJobStatus status;
  std::vector<Action> actions;
  std::vector<Announcement> announcements;  // only sent when the status that they belong to was written
  std::optional<kube::Time> wake_at;        // look again then, even if nothing changes
  bool status_can_wait = false;             // no change in it has to be remembered, and no action rests on it

  void wake_by(kube::Time at) {
    if (!wake_at || at < *wake_at) wake_at = at;
  }
};

}  // namespace reprise::controllers::resumablejob
