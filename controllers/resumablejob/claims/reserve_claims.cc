#include <algorithm>

#include "controllers/resumablejob/claims/claim_reservation.h"
#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/pods/names.h"

namespace reprise::controllers::resumablejob {
namespace {

bool proven_to_have_ended(const Observation& seen, const kube::Pod& pod) {
  return std::ranges::find(seen.job->status.lingering_pods, pod.meta.uid) != seen.job->status.lingering_pods.end();
}

bool is_of_this_attempt(const Observation& seen, const kube::Pod& pod) {
  const bool own = is_of_job(pod.meta, *seen.job);
  return std::ranges::any_of(seen.job->status.members, [&](const api::RankStatus& rank) {
    return rank.pod_uid.empty() ? own && rank.pod_name == pod.meta.name : rank.pod_uid == pod.meta.uid;
  });
}

// Anything else that mounts the claim could write to it: an earlier job's orphan, a debugging pod.
std::shared_ptr<const kube::Pod> other_user_of_claims(const Observation& seen) {
  for (const auto& pod : seen.claim_users) {
    if (is_of_this_attempt(seen, *pod)) continue;
    if (may_still_run(*pod) && !proven_to_have_ended(seen, *pod)) return pod;
  }
  return nullptr;
}

// Once one of the attempt's pods is there the others belong to it.
bool has_pods(const Observation& seen) {
  return std::ranges::any_of(seen.pods, [&](const auto& pod) { return is_of_this_attempt(seen, *pod); }) ||
         std::ranges::any_of(seen.job->status.members, [](const auto& rank) { return !rank.pod_uid.empty(); });
}

// The owners of a claim that is to outlive the job, without those that it was made with: the status knows its uid from
// now on. Empty: they are to stay.
std::optional<kube::List<kube::OwnerReference>> let_go(const PlanBuilder& builder, const kube::ObjectMeta& claim) {
  const api::ResumableJob& job = *builder.seen.job;
  const bool outlives = job.spec.checkpoint.volume.when_deleted == api::WhenDeleted::Retain;
  const auto& known = builder.plan.status.claims;
  const bool recorded = std::ranges::any_of(
      known, [&](const api::ClaimStatus& each) { return each.name == claim.name && each.uid == claim.uid; });
  if (!outlives || !recorded || !is_of_job(claim, job)) return std::nullopt;
  const auto made_with = owners_of_claim(job, builder.seen.namespace_uid);
  kube::List<kube::OwnerReference> others;
  for (const kube::OwnerReference& each : claim.owner_references)
    if (std::ranges::find(made_with, each.uid, &kube::OwnerReference::uid) == made_with.end()) others.push_back(each);
  return others;
}

}  // namespace

std::string why_another_job_keeps_claims(const Observation& seen) {
  if (!seen.kept_claims.empty()) return seen.kept_claims.begin()->second;
  if (has_pods(seen) || seen.conflicting_jobs.empty()) return {};
  return why_kept(*seen.conflicting_jobs.front());
}

std::string why_claims_are_taken(const Observation& seen) {
  if (std::string kept = why_another_job_keeps_claims(seen); !kept.empty()) return kept;
  if (has_pods(seen)) return {};
  if (const auto user = other_user_of_claims(seen)) {
    return "pod " + user->meta.name + " mounts the checkpoint claim; the job starts when it has ended";
  }
  return {};
}

bool reserve_claims(PlanBuilder& builder) {
  const api::ResumableJob& job = *builder.seen.job;
  const std::string wanted = reservation_text(job);
  bool reserved = true;
  for (std::int32_t i = 0; i < claim_count(job); ++i) {
    const auto claim = builder.seen.claims.find(claim_name(job, i));
    if (claim == builder.seen.claims.end()) {
      reserved = false;
      continue;
    }
    const kube::ObjectMeta& meta = claim->second->meta;
    if (meta.annotation(kUsedByAnnotation) == wanted) continue;
    reserved = false;
    if (builder.seen.kept_claims.contains(claim->first)) continue;
    // Another job's name is written over only when the API server was asked about that job: in the pass after the one
    // in which the attempt begins (observe.cc), which the status of this one wakes.
    const auto other = reservation_of(*claim->second);
    if (!builder.first_step && other && other->uid != job.meta.uid) continue;
    builder.plan.actions.emplace_back(
        ReserveClaim{claim->first, meta.resource_version, wanted, let_go(builder, meta), survives_its_job(meta)});
  }
  return reserved;
}

}  // namespace reprise::controllers::resumablejob
