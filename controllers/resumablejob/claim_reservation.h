// Who uses a checkpoint claim stands on the claim: before the first pod of each attempt the job writes itself there,
// against the version of the claim that it has seen. Of two jobs that begin at the same time one write succeeds.
// (docs/decisions/0021-a-claim-is-reserved.md)
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

// "fit/3/<uid of the job>": for the attempt that is under way.
[[nodiscard]] std::string reservation_text(const api::ResumableJob& job);
// What stands on the claim; nothing where no job has ever used it, or something else is written there.
[[nodiscard]] std::optional<ClaimReservation> reservation_of(const kube::PersistentVolumeClaim& claim);
// Why a job whose name stands on a claim keeps it from others; empty: it does not.
[[nodiscard]] std::string why_kept(const api::ResumableJob& holder);
// Whether a process of the pod may still write, as far as the pod reports itself.
[[nodiscard]] bool may_still_run(const kube::Pod& pod);

}  // namespace reprise::controllers::resumablejob
