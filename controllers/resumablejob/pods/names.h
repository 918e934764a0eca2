// Names that jobs give to the objects they make, and the labels and annotations by which these are found again.
#pragma once

#include <string>
#include <string_view>

#include "api/gpu_pool.h"
#include "api/labels.h"
#include "api/resumable_job.h"
#include "api/training_container.h"
#include "controllers/common/do_not_disrupt.h"
#include "controllers/common/indexes.h"
#include "controllers/common/job_labels.h"
#include "controllers/common/job_of.h"
#include "controllers/common/priority_class.h"

namespace reprise::controllers::resumablejob {

using api::kAcceptCheckpointAnnotation;
using api::kAcceptClaimsAnnotation;
using api::kAttemptLabel;
using api::kConfirmEndedAnnotation;
using api::kKeepsNodeLabel;
using api::kTrainerAnnotation;
using api::kUnitResource;
using api::training_container;
using controllers::kDoNotDisruptAnnotation;
using controllers::kJobLabel;
using controllers::kJobUidLabel;
using controllers::kStandbyLabel;
using controllers::kStandbyPriorityClass;
inline constexpr std::string_view kIndexLabel = "batch.kubernetes.io/job-completion-index";
// status.reason of a pod that the operator called Failed while it had no node.
inline constexpr std::string_view kMarkedFailed = "AttemptEnded";

[[nodiscard]] inline std::string pod_name(std::string_view job, std::int32_t attempt, std::int32_t index) {
  return std::string(job) + "-" + std::to_string(attempt) + "-" + std::to_string(index);
}
[[nodiscard]] inline std::string standby_name(std::string_view job, std::int32_t attempt, std::int32_t index) {
  // The word comes last: "<job>-standby-1-0" would be a rank of a job called "<job>-standby".
  return std::string(job) + "-" + std::to_string(attempt) + "-" + std::to_string(index) + "-standby";
}
[[nodiscard]] inline std::string node_keeper_name(std::string_view job, std::int32_t attempt, std::int32_t index) {
  return pod_name(job, attempt, index) + "-keeper";
}
[[nodiscard]] inline std::string service_name(std::string_view job) {
  return std::string(job) + "-rj";
}
// The claim that rank `index` mounts; one for all with access Shared.
[[nodiscard]] std::string claim_name(const api::ResumableJob& job, std::int32_t index);
// The number of claims that the job has.
[[nodiscard]] std::int32_t claim_count(const api::ResumableJob& job);
// True for a claim that was made for the job (it controls it until its first attempt has it, reserve_claims.cc; from
// then on status.claims knows its uid), or that a person has said to the job it may go on with. A claim that somebody
// else controls goes with its owner.
[[nodiscard]] bool is_claim_for_job(const kube::ObjectMeta& claim, const api::ResumableJob& job);
// True when the annotation reprise.dev/accept-claims of the job names it: uids, with commas between.
[[nodiscard]] bool accepts_claim(const api::ResumableJob& job, std::string_view uid);
// True for several ranks, each with a volume of its own: what one has saved the others cannot read.
[[nodiscard]] bool has_volume_each(const api::ResumableJob& job);
// True for ranks that resume from the newest step that all volumes have (common_step.h).
[[nodiscard]] bool agrees_on_step(const api::ResumableJob& job);
// spec.resume FromScratch acknowledges a loss once: for the attempt that begins next. Whether that attempt got as far
// as starting anew is the agents' to see on the volume.
[[nodiscard]] bool may_start_from_scratch(const api::ResumableJob& job);

}  // namespace reprise::controllers::resumablejob
