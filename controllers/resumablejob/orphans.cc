#include "controllers/resumablejob/names.h"
#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {

void delete_orphans(PlanBuilder& builder) {
  const api::ResumableJobStatus& status = builder.seen.job->status;
  const bool finished = is_finished(status);
  const std::string current = status.members.empty() ? std::string() : std::to_string(status.attempt);
  for (const auto& pod : builder.seen.pods) {
    const std::string_view attempt = pod->meta.label(kAttemptLabel);
    if (attempt.empty() || attempt == current || pod->meta.deletion_timestamp) continue;
    const bool over = pod->phase == kube::PodPhase::Succeeded || pod->phase == kube::PodPhase::Failed;
    if (finished && over) continue;  // kept for its logs
    builder.delete_pod(*pod);
  }
}

}  // namespace reprise::controllers::resumablejob
