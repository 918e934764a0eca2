#include "controllers/gpupool/rentable/gang_of_job.h"

#include <algorithm>

#include "controllers/gpupool/sharing/sharing.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::rentable {
namespace {

std::int64_t units_of(const api::TemplateContainer& container, const gpupool::GpuSharing& sharing) {
  const auto units = container.limits.find(api::kUnitResource);
  if (units != container.limits.end()) return kube::whole_number(units->second).value_or(0);
  return sharing.resource_name.empty() ? 0 : sharing.units_in(container.limits);
}

// 0 for what is written otherwise ("1e3"): nothing is said of it. Bounded, so that no sum of them overflows.
std::int64_t amount(std::string_view quantity) {
  constexpr std::int64_t kMost = std::int64_t{1} << 45U;
  return std::min(kube::whole_number(quantity).value_or(0), kMost);
}

std::int64_t thousandths(std::string_view quantity) {
  if (!quantity.ends_with('m')) return amount(quantity) * 1000;
  return amount(quantity.substr(0, quantity.size() - 1));
}

std::string_view requested(const api::TemplateContainer& container, std::string_view resource) {
  for (const auto* quantities : {&container.requests, &container.limits})
    if (const auto found = quantities->find(resource); found != quantities->end()) return found->second;
  return {};
}

// No machine has fewer processors or less memory than the pods that run there ask for.
void add_requests(const api::PodTemplate& pod, std::vector<Demands>& lists) {
  constexpr std::int64_t kMiB = 1 << 20;
  std::int64_t cpus = 0, memory = 0;
  for (const api::TemplateContainer& each : pod.containers) {
    cpus += thousandths(requested(each, "cpu"));
    memory += amount(requested(each, "memory"));
  }
  const auto add = [&](std::string_view resource, std::int64_t least) {
    if (least <= 0) return;
    const Demand demand{
        .field = "spec.template.spec.containers[].resources.requests." + std::string(resource),
        .requirement = {"karpenter.k8s.aws/instance-" + std::string(resource), "Gte", {std::to_string(least)}, {}}};
    for (Demands& list : lists) list.push_back(demand);
  };
  add("cpu", cpus / 1000);
  add("memory", memory / kMiB);
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
  add_requests(job.spec.pod_template, gang.demands);
  for (const api::CapacityStatus& each : pool.status.capacity)
    if (each.gpus > 0) gang.there[each.type] = each.gpus;
  return gang;
}

std::optional<Misfit> job_misfit(const api::ResumableJob& job, const api::GpuPool& pool) {
  return gang_misfit(pool.meta.name, pool.spec, gang_of(job, pool));
}

}  // namespace reprise::controllers::rentable
