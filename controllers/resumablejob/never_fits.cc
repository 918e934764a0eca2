#include "controllers/resumablejob/never_fits.h"

#include "controllers/gpupool/rentable/gang_of_job.h"

namespace reprise::controllers::resumablejob {

std::optional<std::string> why_it_never_fits(const Observation& seen) {
  if (!seen.pool) return std::nullopt;
  const auto misfit = rentable::job_misfit(*seen.job, *seen.pool);
  return misfit ? std::optional(misfit->text()) : std::nullopt;
}

}  // namespace reprise::controllers::resumablejob
