// A checkpoint claim says itself who uses it: before the first pod of each attempt the job writes itself there, against
// the version of the claim that it has seen. When two jobs begin at the same time one write succeeds.
// (docs/decisions/attempts/0021-claim-reservation.md)
#pragma once

#include <optional>
#include <string>

#include "api/resumable_job.h"
#include "runtime/kube/core.h"
#include "runtime/kube/pod.h"

namespace reprise::controllers::resumablejob {

inline constexpr std::string_view kUsedByAnnotation = "reprise.dev/used-by";

struct ClaimReservation {
  std::string job, uid;
  std::int32_t attempt = 0;
};

// The owners that a claim is made with: the job as its controller, which proves whose it is while the status does not
// know its uid. A claim that is to outlive the job also has its namespace as an owner, so that the garbage collector
// takes a job that is gone off the claim and leaves it. Both go with the first reservation.
[[nodiscard]] kube::List<kube::OwnerReference> owners_of_claim(const api::ResumableJob& job,
                                                               std::string_view namespace_uid);
// True when the claim would not go with its job.
[[nodiscard]] bool survives_its_job(const kube::ObjectMeta& claim);

// "fit/3/<uid of the job>": for the attempt that is under way.
[[nodiscard]] std::string reservation_text(const api::ResumableJob& job);
// The reservation that stands on the claim; empty where no job has ever used it, or something else is written there.
[[nodiscard]] std::optional<ClaimReservation> reservation_of(const kube::PersistentVolumeClaim& claim);
// Says why a job that names a claim keeps it from others; empty: it does not.
[[nodiscard]] std::string why_kept(const api::ResumableJob& holder);
// The same for a job that stands on the claim, and may use another one by now: a person who may edit the claim may
// write anything there.
[[nodiscard]] std::string why_kept(const api::ResumableJob& holder, const ClaimReservation& reservation,
                                   std::string_view claim);
// True when a process of the pod may still write, as far as the pod reports itself.
[[nodiscard]] bool may_still_run(const kube::Pod& pod);

}  // namespace reprise::controllers::resumablejob
