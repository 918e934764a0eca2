#include "controllers/gpupool/rentable/gang_of_job.h"

#include "controllers/gpupool/sharing/sharing.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::rentable {
namespace {

std::int64_t units_of(const api::TemplateContainer& container, const gpupool::GpuSharing& sharing) {
  const auto units = container.limits.find(api::kUnitResource);
  if (units != container.limits.end()) return kube::whole_number(units->second).value_or(0);
  return sharing.resource_name.empty() ? 0 : sharing.units_in(container.limits);
}

std::optional<api::CapacityType> only_capacity(const api::ResumableJobSpec& spec) {
  if (!spec.placement) return std::nullopt;
  if (spec.placement->capacity == api::PlacementCapacity::SpotOnly) return api::CapacityType::Spot;
  if (spec.placement->capacity == api::PlacementCapacity::OnDemandOnly) return api::CapacityType::OnDemand;
  return std::nullopt;
}

}  // namespace

Gang gang_of(const api::ResumableJob& job, const api::GpuPool& pool) {
  const gpupool::GpuSharing sharing = gpupool::sharing_of(pool.spec.sharing);
  Gang gang{.ranks = job.spec.parallelism, .units_per_rank = 0, .only = only_capacity(job.spec)};
  for (const api::TemplateContainer& container : job.spec.pod_template.containers)
    gang.units_per_rank += units_of(container, sharing);
  if (!job.spec.pod_template.json.empty()) gang.demands = demands_of_template(job.spec.pod_template.json.text());
  for (const api::CapacityStatus& each : pool.status.capacity)
    if (each.gpus > 0) gang.there[each.type] = each.gpus;
  return gang;
}

std::optional<Misfit> job_misfit(const api::ResumableJob& job, const api::GpuPool& pool) {
  return gang_misfit(pool.meta.name, pool.spec, gang_of(job, pool));
}

}  // namespace reprise::controllers::rentable
