#include "controllers/resumablejob/steps/never_fits.h"

#include "controllers/gpupool/rentable/gang_of_job.h"

namespace reprise::controllers::resumablejob {

std::optional<std::string> why_it_never_fits(const Observation& seen) {
  if (!seen.pool) return std::nullopt;
  const auto misfit = rentable::job_misfit(*seen.job, *seen.pool, seen.price_table);
  return misfit ? std::optional(misfit->text()) : std::nullopt;
}

bool may_fit_on(const Observation& seen, api::CapacityType type) {
  if (!seen.pool) return true;
  rentable::Gang gang = rentable::gang_of(*seen.job, *seen.pool);
  gang.only = type;
  std::erase_if(gang.there, [&](const auto& each) { return each.first != type; });
  return !rentable::gang_misfit(std::string(seen.pool->meta.name), seen.pool->spec, gang, seen.price_table);
}

}  // namespace reprise::controllers::resumablejob
