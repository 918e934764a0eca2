// A job in a queue of Kueue: the Workload that stands for it there, and what its conditions mean.
//
// One Workload per job, from when the job could begin until it ends: its quota stays the job's over interruptions.
// Kueue evicts by a condition; it is the owner of the Workload that gives the quota back, here once all ranks are
// proven to have ended. Such a job has no finalizer: whoever deletes a job or its Workload gives the quota back at
// once. (docs/decisions/queues/0062-one-workload.md)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/resumablejob/decide/observation.h"

namespace reprise::controllers::resumablejob {

inline constexpr std::string_view kQueueNameLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kPriorityClassLabel = "kueue.x-k8s.io/priority-class";

// The LocalQueue that the job names; empty: it waits for nobody.
[[nodiscard]] std::string_view queue_name(const api::ResumableJob& job);
[[nodiscard]] std::string workload_name(const api::ResumableJob& job);
// True for a job in a queue of a Kueue that is there, without its Workload.
[[nodiscard]] bool lacks_workload(const Observation& seen);

// The Workload to ask for: the user's own resources, so that quota is counted in what people write.
[[nodiscard]] api::WorkloadRequest workload_for(const Observation& seen);
// True when the Workload asks for what the job asks for now; an edit between two attempts is queued anew.
[[nodiscard]] bool asks_for_the_same(const api::Workload& workload, const api::ResumableJob& job);

// True when pods may run: admitted, and nothing has taken it back.
[[nodiscard]] bool is_admitted(const api::Workload& workload);
// True when it was evicted, and its quota is not given back yet.
[[nodiscard]] bool holds_quota_after_eviction(const api::Workload& workload);
// The reason, and the test, for pods that were ready since their Workload was admitted, and are not now.
inline constexpr std::string_view kWaitForRecovery = "WaitForRecovery";
[[nodiscard]] bool waits_for_recovery(const api::Workload& workload);
// Says, in Kueue's words, for people, why the job may not run.
[[nodiscard]] std::string why_not_admitted(const api::Workload& workload);

// Says why an attempt under way has to end: its Workload is not admitted, or is gone. One that is made anew is another
// place in the queue: however soon it is admitted, this attempt does not run on it.
[[nodiscard]] std::optional<std::string> quota_taken_away(const Observation& seen);

// The Workload's conditions after the quota is given back, as Kueue's own integrations write them.
[[nodiscard]] std::vector<kube::Condition> released(const api::Workload& workload, kube::Time now);
// The Workload's conditions with that one set.
[[nodiscard]] std::vector<kube::Condition> with_condition(const api::Workload& workload, kube::Time now,
                                                          std::string_view type, kube::ConditionStatus status,
                                                          std::string_view reason, std::string_view message);

}  // namespace reprise::controllers::resumablejob
