#include "controllers/resumablejob/pods/names.h"

#include <algorithm>

namespace reprise::controllers::resumablejob {

std::string claim_name(const api::ResumableJob& job, std::int32_t index) {
  const api::CheckpointVolume& volume = job.spec.checkpoint.volume;
  const bool per_index = volume.access == api::VolumeAccess::PerIndex && volume.claim_template.has_value();
  std::string base = volume.claim_template ? job.meta.name + "-checkpoints" : std::string(volume.claim_name);
  return per_index ? base + "-" + std::to_string(index) : base;
}

std::int32_t claim_count(const api::ResumableJob& job) {
  return job.spec.checkpoint.volume.access == api::VolumeAccess::PerIndex ? job.spec.parallelism : 1;
}

bool is_claim_for_job(const kube::ObjectMeta& claim, const api::ResumableJob& job) {
  if (claim.controller() != nullptr) return is_of_job(claim, job);
  return claim.namespace_ == job.meta.namespace_ && accepts_claim(job, claim.uid);
}

bool accepts_claim(const api::ResumableJob& job, std::string_view uid) {
  std::string_view rest = job.meta.annotation(kAcceptClaimsAnnotation);
  while (!uid.empty() && !rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (rest.substr(0, end) == uid) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

bool has_volume_each(const api::ResumableJob& job) {
  return job.spec.checkpoint.volume.access == api::VolumeAccess::PerIndex && job.spec.parallelism > 1;
}

bool agrees_on_step(const api::ResumableJob& job) {
  return has_volume_each(job) && job.spec.resume != api::ResumePolicy::Never;
}

bool may_start_from_scratch(const api::ResumableJob& job) {
  return job.spec.resume == api::ResumePolicy::FromScratch && job.status.from_scratch_attempt == 0;
}

}  // namespace reprise::controllers::resumablejob
