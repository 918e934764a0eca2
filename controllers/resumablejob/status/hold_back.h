// Decides which changes of a status may wait, so that several go into one write: a status write is by far the dearest
// request of a job. A change that waits is lost with the process; the next one sees it again in the cluster.
// (docs/decisions/operator/0046-batched-status.md)
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "controllers/resumablejob/decide/plan.h"

namespace reprise::controllers::resumablejob {

enum class Urgency {
  Now,      // the plan does something, says something, or has decided something
  Ended,    // a rank has ended: without its proof the next process has its node ended
  Started,  // a rank has started where nobody has recorded it
  Later,    // a rank is bound, and has not started
  Lowest,   // only people read it
};

// Tells how soon `plan.status` has to be written where `written` stands in the API.
[[nodiscard]] Urgency urgency_of(const api::ResumableJobStatus& written, const Plan& plan);

// A status that is not written yet, and since when.
struct HeldStatus {
  std::shared_ptr<const api::ResumableJob> job;  // on which it was decided
  api::ResumableJobStatus status;
  kube::Time since{};
  std::optional<kube::Time> later_since, started_since, ended_since;  // since when more urgent changes wait

  // The time by which it has to be written.
  [[nodiscard]] kube::Time due() const;
  // True when `now` bears the status on which it was decided: then a change of the job, by a person who annotates it
  // for one, has said nothing of what is held.
  [[nodiscard]] bool fits(const api::ResumableJob& now) const;
};

// The status to keep instead of writing `plan.status`; null where it is to be written now, or says nothing new.
[[nodiscard]] std::shared_ptr<const HeldStatus> hold_back(const std::shared_ptr<const api::ResumableJob>& job,
                                                          const Plan& plan, kube::Time now, const HeldStatus* before);

}  // namespace reprise::controllers::resumablejob
