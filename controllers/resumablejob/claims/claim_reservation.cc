#include "controllers/resumablejob/claims/claim_reservation.h"

#include <algorithm>
#include <charconv>

#include "controllers/common/conditions.h"
#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/ranks/proof.h"
#include "runtime/kube/owner_reference.h"

namespace reprise::controllers::resumablejob {
namespace {

// A person who may edit the claim may write anything there, and these become parts of requests.
bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  });
}

bool names_claim(const api::ResumableJob& job, std::string_view claim) {
  for (std::int32_t i = 0; i < claim_count(job); ++i)
    if (claim_name(job, i) == claim) return true;
  return false;
}

bool has_unproven(const api::ResumableJobStatus& status) {
  return std::ranges::any_of(status.members,
                             [](const api::RankStatus& rank) { return rank.proof == api::EndProof::None; });
}

constexpr std::string_view kNamespaceKind = "Namespace";

}  // namespace

kube::List<kube::OwnerReference> owners_of_claim(const api::ResumableJob& job, std::string_view namespace_uid) {
  kube::List<kube::OwnerReference> owners{kube::owner_reference(job, kube::BlockOwnerDeletion::No)};
  if (job.spec.checkpoint.volume.when_deleted == api::WhenDeleted::Retain && !namespace_uid.empty())
    owners.push_back({.api_version = "v1", .kind = kNamespaceKind, .name = job.meta.namespace_, .uid = namespace_uid});
  return owners;
}

bool survives_its_job(const kube::ObjectMeta& claim) {
  return std::ranges::any_of(claim.owner_references,
                             [](const kube::OwnerReference& each) { return each.kind == kNamespaceKind; });
}

std::string reservation_text(const api::ResumableJob& job) {
  return job.meta.name + "/" + std::to_string(job.status.attempt) + "/" + job.meta.uid;
}

std::optional<ClaimReservation> reservation_of(const kube::PersistentVolumeClaim& claim) {
  const std::string_view text = claim.meta.annotation(kUsedByAnnotation);
  const std::size_t name_end = text.find('/');
  if (name_end == std::string_view::npos) return std::nullopt;
  const std::size_t attempt_end = text.find('/', name_end + 1);
  if (attempt_end == std::string_view::npos) return std::nullopt;
  ClaimReservation found{.job = std::string(text.substr(0, name_end)),
                         .uid = std::string(text.substr(attempt_end + 1))};
  const std::string_view attempt = text.substr(name_end + 1, attempt_end - name_end - 1);
  std::from_chars(attempt.data(), attempt.data() + attempt.size(), found.attempt);
  if (!is_name(found.job) || !is_name(found.uid)) return std::nullopt;
  return found;
}

std::string why_kept(const api::ResumableJob& holder, const ClaimReservation& reservation, std::string_view claim) {
  if (names_claim(holder, claim)) return why_kept(holder);
  // An attempt begins when all of the one before is proven to have ended.
  const bool is_over = holder.status.attempt != reservation.attempt;
  return is_over || !has_unproven(holder.status) ? std::string() : why_kept(holder);
}

std::string why_kept(const api::ResumableJob& holder) {
  const api::ResumableJobStatus& status = holder.status;
  if (has_unproven(status)) {
    return "ResumableJob " + holder.meta.name +
           " uses the checkpoint claim and has pods that are not proven to have ended; the job starts when they are";
  }
  const bool ended = is_finished(status);
  const bool suspended = holder.spec.suspend || reached_limit(holder.spec, status).has_value();
  if (ended || suspended) return {};
  return "ResumableJob " + holder.meta.name +
         " trains on the checkpoint claim; the job starts when that one has ended or is suspended";
}

bool may_still_run(const kube::Pod& pod) {
  if (is_marked_failed(pod) || pod.rejected_by_kubelet()) return false;
  const bool finished = pod.phase == kube::PodPhase::Succeeded || pod.phase == kube::PodPhase::Failed;
  return !(finished && pod.all_containers_terminated());
}

}  // namespace reprise::controllers::resumablejob
