#include "controllers/gpupool/rentable/gang_of_job.h"

#include <algorithm>

#include "controllers/gpupool/rentable/pod_sum.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::rentable {
namespace {

// 0 for what is written otherwise ("1e3"): nothing is said of it. Bounded, so that no sum of them overflows.
std::int64_t amount(std::string_view quantity) {
  constexpr std::int64_t kMost = std::int64_t{1} << 45U;
  return std::min(kube::whole_number(quantity).value_or(0), kMost);
}

std::int64_t units_of(const api::TemplateContainer& container, const gpupool::GpuSharing& sharing) {
  const auto units = container.limits.find(api::kUnitResource);
  if (units != container.limits.end()) return amount(units->second);
  return sharing.resource_name.empty() ? 0 : sharing.units_in(container.limits);
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
  const std::int64_t cpus = sum_of_pod(pod, [](const auto& each) { return thousandths(requested(each, "cpu")); });
  const std::int64_t memory = sum_of_pod(pod, [](const auto& each) { return amount(requested(each, "memory")); });
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

// What the template's own selector says of the same label goes before it.
bool placement_decides(const api::ResumableJobSpec& spec, std::string_view label) {
  return spec.placement && !spec.pod_template.node_selector.contains(label);
}

std::optional<api::CapacityType> only_capacity(const api::ResumableJobSpec& spec) {
  if (!placement_decides(spec, "karpenter.sh/capacity-type")) return std::nullopt;
  if (spec.placement->capacity == api::PlacementCapacity::SpotOnly) return api::CapacityType::Spot;
  if (spec.placement->capacity == api::PlacementCapacity::OnDemandOnly) return api::CapacityType::OnDemand;
  return std::nullopt;
}

std::vector<std::string> only_zones(const api::ResumableJobSpec& spec) {
  if (!placement_decides(spec, "topology.kubernetes.io/zone")) return {};
  return {spec.placement->zones.begin(), spec.placement->zones.end()};
}

// NVIDIA's plugin offers one kind of part on a machine, as it is told to share the GPUs, and Karpenter knows of the
// pool's alone. Nothing is claimed where the pool is for others to tell (External), or tells the plugin itself.
bool is_never_offered(std::string_view resource, const api::GpuPoolSpec& spec, std::string_view offered) {
  const bool is_part = resource.starts_with("nvidia.com/mig-") || resource == "nvidia.com/gpu.shared";
  const bool by_others = spec.sharing.mode == api::SharingMode::External ||
                         spec.labels.contains(gpupool::kDevicePluginConfigLabel) ||
                         spec.labels.contains("nvidia.com/mig.config");
  return is_part && !by_others && !offered.empty() && resource != offered;
}

std::optional<Misfit> not_offered(const api::PodTemplate& pod, const api::GpuPool& pool, std::string_view offered) {
  const auto look_at = [&](const api::TemplateContainer& each, std::string_view list) -> std::optional<Misfit> {
    for (const auto& [resource, quantity] : each.limits)
      if (amount(quantity) > 0 && is_never_offered(resource, pool.spec, offered))
        return Misfit{"spec.template.spec." + std::string(list) + "[" + std::string(each.name) + "].resources.limits." +
                          std::string(resource),
                      "found " + std::string(quantity) + ", and machines of GpuPool " + pool.meta.name + " offer " +
                          std::string(offered) + "; write " + std::string(api::kUnitResource) + " instead"};
    return std::nullopt;
  };
  for (const api::TemplateContainer& each : pod.containers)
    if (auto misfit = look_at(each, "containers")) return misfit;
  for (const api::TemplateContainer& each : pod.init_containers)
    if (auto misfit = look_at(each, "initContainers")) return misfit;
  return std::nullopt;
}

// GPUs of which nobody says how large their machines are may be one machine's: an operator of before wrote that status.
void add_machines(const api::CapacityStatus& capacity, Gang& gang) {
  std::int64_t unknown = capacity.gpus;
  MachinesBySize machines;
  for (const api::MachinesStatus& each : capacity.machines) {
    machines[each.gpus] += each.count;
    unknown -= static_cast<std::int64_t>(each.gpus) * each.count;
  }
  if (unknown > 0) machines[unknown] += 1;
  if (!machines.empty()) gang.there[capacity.type] = std::move(machines);
}

}  // namespace

Gang gang_of(const api::ResumableJob& job, const api::GpuPool& pool) {
  const gpupool::GpuSharing sharing = gpupool::sharing_of(pool.spec.sharing);
  const api::PodTemplate& pod = job.spec.pod_template;
  Gang gang{.ranks = job.spec.parallelism,
            .units_per_rank = sum_of_pod(pod, [&](const auto& each) { return units_of(each, sharing); }),
            .only = only_capacity(job.spec)};
  gang.zones = only_zones(job.spec);
  gang.not_offered = not_offered(pod, pool, sharing.resource_name);
  if (!pod.json.empty()) gang.demands = demands_of_template(pod.json.text());
  add_requests(pod, gang.demands);
  for (const api::CapacityStatus& each : pool.status.capacity) add_machines(each, gang);
  return gang;
}

std::optional<Misfit> job_misfit(const api::ResumableJob& job, const api::GpuPool& pool, const Prices& known) {
  return gang_misfit(pool.meta.name, pool.spec, gang_of(job, pool), known);
}

}  // namespace reprise::controllers::rentable
