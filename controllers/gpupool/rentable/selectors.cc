#include "controllers/gpupool/rentable/selectors.h"

#include <algorithm>
#include <optional>

#include "controllers/common/capacity_label.h"
#include "controllers/common/indexes.h"
#include "controllers/gpupool/providers/known_labels.h"
#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::rentable {
namespace {

using Values = std::vector<std::string>;

// In a pod's matchFields: the name of a node.
constexpr std::string_view kNodeName = "metadata.name";

bool names_one_node(std::string_view key) {
  return key == kNodeName || key == "kubernetes.io/hostname";
}

// What the pool's machines bear under this key; nothing: that is not the pool's to say.
std::optional<Values> said_by_pool(const std::string& pool, const api::GpuPoolSpec& spec, std::string_view key) {
  const auto of_capacity = [&](std::string_view prefix) {
    Values out;
    for (const api::PoolCapacity& each : spec.capacity)
      out.push_back(std::string(prefix) + std::string(capacity_label(each.type)));
    return out;
  };
  if (key == kPoolLabel) return Values{pool};
  if (key == "karpenter.sh/capacity-type" && !spec.capacity.empty()) return of_capacity("");
  if (key == "karpenter.sh/nodepool" && !spec.capacity.empty()) return of_capacity(pool + "-");
  if ((key == "topology.kubernetes.io/zone" || key == "failure-domain.beta.kubernetes.io/zone") && !spec.zones.empty())
    return spec.zones;
  const gpupool::GpuSharing sharing = gpupool::sharing_of(spec.sharing);
  for (const kube::StringMap* labels : {&sharing.node_labels, &spec.labels})
    if (const auto found = labels->find(key); found != labels->end()) return Values{std::string(found->second)};
  return std::nullopt;
}

std::string or_list(const Values& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out += (i == 0 ? "" : i + 1 == values.size() ? " or " : ", ") + values[i];
  return out;
}

// What to write in the pool instead.
std::string instead_of(std::string_view key) {
  std::string_view field;
  if (key == "nvidia.com/gpu.product" || key == "nvidia.com/gpu.family") field = "spec.gpu.models";
  if (key == "nvidia.com/gpu.memory") field = "spec.gpu.minMemoryMiB";
  if (key == "nvidia.com/gpu.count") field = "spec.gpu.countsPerNode";
  return (field.empty() ? std::string() : "choose by " + std::string(field) + " of the pool, or ") +
         "write the label in the pool's spec.labels";
}

std::string who_writes(std::string_view key) {
  if (key.starts_with("nvidia.com/mig")) return "NVIDIA's MIG manager or feature discovery";
  if (key.starts_with("nvidia.com/")) return "NVIDIA's feature discovery";
  if (key.starts_with("feature.node.kubernetes.io/")) return "node feature discovery";
  return {};
}

Misfit late(const std::string& pool, const Demand& demand) {
  if (names_one_node(demand.requirement.key))
    return {demand.field, "found " + text_of(demand.requirement) +
                              ": a machine that is made has a name of its own, and Karpenter makes none for another; "
                              "remove it"};
  const std::string writer = who_writes(demand.requirement.key);
  const std::string why = writer.empty()
                              ? "no machine of GpuPool " + pool + " bears that label, and Karpenter makes none for it"
                              : writer + " writes that label on a machine that runs, and Karpenter makes none for it";
  return {demand.field,
          "found " + text_of(demand.requirement) + ": " + why + "; " + instead_of(demand.requirement.key)};
}

std::optional<SelectorMisfit> misfit_of(const std::string& pool, const api::GpuPoolSpec& spec, const Demand& demand) {
  const api::NodeRequirement& wanted = demand.requirement;
  if (const auto said = said_by_pool(pool, spec, wanted.key)) {
    if (std::ranges::any_of(*said, [&](const std::string& value) { return meets(value, wanted); })) return std::nullopt;
    return SelectorMisfit{.misfit = {demand.field, "found " + text_of(wanted) + ", and machines of GpuPool " + pool +
                                                       " have " + or_list(*said) + "; change one of the two"},
                          .key = wanted.key};
  }
  const auto own = std::ranges::find(spec.requirements, wanted.key, &api::NodeRequirement::key);
  if (own != spec.requirements.end()) {
    for (const api::NodeRequirement& each : spec.requirements)
      if (each.key == wanted.key && !agree(each, wanted))
        return SelectorMisfit{.misfit = {demand.field, "found " + text_of(wanted) + ", and GpuPool " + pool +
                                                           " requires " + text_of(each) + "; change one of the two"},
                              .key = wanted.key};
    return std::nullopt;  // Karpenter writes the value that the pod wants
  }
  // The agent that the trainer runs below is a program for Linux.
  if ((wanted.key == "kubernetes.io/os" || wanted.key == "beta.kubernetes.io/os") && !meets("linux", wanted))
    return SelectorMisfit{
        .misfit = {demand.field, "found " + text_of(wanted) + ", and a job's ranks run on linux; remove it"},
        .key = wanted.key};
  if (needs_no_label(wanted) || gpupool::is_known_beforehand(spec.node_class_ref->group, wanted.key))
    return std::nullopt;
  return SelectorMisfit{.misfit = late(pool, demand), .key = wanted.key, .comes_later = true};
}

}  // namespace

std::vector<SelectorMisfit> selector_misfits(const std::string& pool, const api::GpuPoolSpec& spec,
                                             const std::vector<Demands>& lists) {
  if (!spec.node_class_ref) return {};
  std::vector<SelectorMisfit> first;
  for (const Demands& demands : lists) {
    std::vector<SelectorMisfit> found;
    for (const Demand& demand : demands)
      if (auto misfit = misfit_of(pool, spec, demand)) found.push_back(*std::move(misfit));
    if (found.empty()) return {};
    if (first.empty()) first = std::move(found);
  }
  return first;
}

}  // namespace reprise::controllers::rentable
