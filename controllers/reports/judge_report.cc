#include "controllers/reports/judge_report.h"

#include <algorithm>

#include "controllers/common/job_of.h"

namespace reprise::controllers::reports {
namespace {

std::unexpected<Refusal> refuse(int status, std::string message) {
  return std::unexpected(Refusal{.status = status, .message = std::move(message)});
}

}  // namespace

std::optional<runtime::ObjectKey> job_of(const kube::Pod& pod) {
  const kube::OwnerReference* const owner = controlling_job(pod.meta);
  if (owner == nullptr) return std::nullopt;
  return runtime::ObjectKey{.namespace_ = std::string(pod.meta.namespace_), .name = std::string(owner->name)};
}

std::expected<runtime::ObjectKey, Refusal> judge_report(const PodIdentity& who, const kube::Pod* pod,
                                                        const api::ResumableJob* job,
                                                        const protocol::LiveReport& said) {
  const std::string text = "pod " + who.namespace_ + "/" + who.name;
  if (pod == nullptr || pod->meta.uid != who.uid) return refuse(404, text + " is not known");
  const auto key = job_of(*pod);
  if (!key) return refuse(403, text + " is of no ResumableJob");
  if (job == nullptr || !is_of_job(pod->meta, *job))
    return refuse(404, "the ResumableJob of " + text + " is not known");
  const auto rank = std::ranges::find_if(job->status.members, [&](const api::RankStatus& each) {
    return each.pod_name == pod->meta.name && (each.pod_uid.empty() || each.pod_uid == pod->meta.uid);
  });
  if (rank == job->status.members.end()) return refuse(409, text + " is no rank of the attempt under way");
  if (said.attempt != job->status.attempt || said.index != rank->index) {
    return refuse(403, text + " is rank " + std::to_string(rank->index) + " of attempt " +
                           std::to_string(job->status.attempt) + ", and reports for rank " +
                           std::to_string(said.index) + " of attempt " + std::to_string(said.attempt));
  }
  return *key;
}

}  // namespace reprise::controllers::reports
