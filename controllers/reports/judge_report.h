// Judges whether a pod may say what it says: it speaks for itself, as a rank of the attempt under way, and for no other
// job.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "api/resumable_job.h"
#include "controllers/reports/pod_identity.h"
#include "protocol/live_report.h"
#include "runtime/base/object_key.h"
#include "runtime/kube/pod.h"

namespace reprise::controllers::reports {

struct Refusal {
  int status = 403;     // HTTP's
  std::string message;  // for people
};

// The job that controls a pod; empty: none does.
[[nodiscard]] std::optional<runtime::ObjectKey> job_of(const kube::Pod& pod);

// `pod` and `job` as the caches have them; null: they have none of that name. 404 where they may not have it yet, 409
// where the attempt is over: neither is the pod's fault.
[[nodiscard]] std::expected<runtime::ObjectKey, Refusal> judge_report(const PodIdentity& who, const kube::Pod* pod,
                                                                      const api::ResumableJob* job,
                                                                      const protocol::LiveReport& said);

}  // namespace reprise::controllers::reports
