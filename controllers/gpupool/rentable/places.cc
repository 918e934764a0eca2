#include "controllers/gpupool/rentable/places.h"

#include <algorithm>

#include "controllers/common/capacity_label.h"

namespace reprise::controllers::rentable {
namespace {

constexpr std::string_view kCapacityLabel = "karpenter.sh/capacity-type";
constexpr std::string_view kNodePoolLabel = "karpenter.sh/nodepool";
constexpr std::string_view kPlacementZones = "spec.placement.zones";

// Karpenter reads the others as the first (NormalizedLabels of its apis/v1/labels.go, and its provider's for AWS).
constexpr std::string_view kZoneLabels[] = {"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone",
                                            "topology.ebs.csi.aws.com/zone"};

bool is_of_zones(std::string_view key) {
  return std::ranges::find(kZoneLabels, key) != std::end(kZoneLabels);
}

api::NodeRequirement one_of(std::vector<std::string> zones) {
  return {std::string(kZoneLabels[0]), "In", std::move(zones), {}};
}

Demands zones_of_pool(const api::GpuPoolSpec& spec) {
  Demands out;
  if (!spec.zones.empty()) out.push_back({"spec.zones", one_of(spec.zones)});
  for (std::size_t i = 0; i < spec.requirements.size(); ++i)
    if (is_of_zones(spec.requirements[i].key))
      out.push_back({"spec.requirements[" + std::to_string(i) + "]", spec.requirements[i]});
  for (const auto& [key, value] : spec.labels)
    if (is_of_zones(key)) out.push_back({"spec.labels." + std::string(key), one_of({std::string(value)})});
  return out;
}

// Two of them, the earlier first, that no zone meets; where only several together leave none, the first that lists
// zones and the last.
struct Contradiction {
  std::size_t one = 0, other = 0;
};
std::optional<Contradiction> contradiction_in(const Demands& demands) {
  for (std::size_t other = 1; other < demands.size(); ++other)
    for (std::size_t one = 0; one < other; ++one)
      if (!agree(demands[one].requirement, demands[other].requirement)) return Contradiction{one, other};
  const auto listed = std::ranges::find_if(demands, [](const Demand& each) { return each.requirement.op == "In"; });
  if (listed == demands.end() || demands.size() < 3) return std::nullopt;
  const auto meets_all = [&](const std::string& zone) {
    return std::ranges::all_of(demands, [&](const Demand& each) { return meets(zone, each.requirement); });
  };
  if (std::ranges::any_of(listed->requirement.values, meets_all)) return std::nullopt;
  const auto first = static_cast<std::size_t>(listed - demands.begin());
  return first + 1 == demands.size() ? Contradiction{0, first} : Contradiction{first, demands.size() - 1};
}

bool meets_capacity(const std::string& pool, std::string_view label, const Demand& each) {
  if (each.requirement.key == kCapacityLabel) return meets(label, each.requirement);
  if (each.requirement.key == kNodePoolLabel) return meets(pool + "-" + std::string(label), each.requirement);
  return true;
}

std::string types_of(const api::GpuPoolSpec& spec) {
  std::string out;
  for (const api::PoolCapacity& each : spec.capacity)
    out += (out.empty() ? "" : ", ") + std::string(capacity_label(each.type));
  return out;
}

}  // namespace

std::size_t requirement_against(const api::GpuPoolSpec& spec, api::CapacityType type) {
  for (std::size_t i = 0; i < spec.requirements.size(); ++i)
    if (spec.requirements[i].key == kCapacityLabel && !meets(capacity_label(type), spec.requirements[i])) return i;
  return std::string::npos;
}

std::optional<Misfit> against_every_capacity(const api::GpuPoolSpec& spec) {
  std::size_t against = std::string::npos;
  for (const api::PoolCapacity& capacity : spec.capacity) {
    against = requirement_against(spec, capacity.type);
    if (against == std::string::npos) return std::nullopt;
  }
  if (against == std::string::npos) return std::nullopt;
  return Misfit{"spec.requirements[" + std::to_string(against) + "]",
                "found " + text_of(spec.requirements[against]) +
                    ", which none of the types of spec.capacity meets; remove it, or change spec.capacity"};
}

std::optional<Misfit> against_every_zone(const api::GpuPoolSpec& spec) {
  const Demands demands = zones_of_pool(spec);
  const auto found = contradiction_in(demands);
  if (!found) return std::nullopt;
  const Demand& one = demands[found->one];
  const Demand& other = demands[found->other];
  const std::string zones = one.field == "spec.zones" ? one.field : "the zones of " + one.field;
  return Misfit{other.field, "found " + text_of(other.requirement) + ", which none of " + zones + " (" +
                                 text_of(one.requirement) + ") meets; change one of the two"};
}

bool may_run_on(const std::string& pool, api::CapacityType type, const Gang& gang) {
  if (gang.only && type != *gang.only) return false;
  const std::string_view label = capacity_label(type);
  return std::ranges::any_of(gang.demands, [&](const Demands& list) {
    return std::ranges::all_of(list, [&](const Demand& each) { return meets_capacity(pool, label, each); });
  });
}

Misfit no_capacity_for(const std::string& pool, const api::GpuPoolSpec& spec, const Gang& gang) {
  if (gang.only && std::ranges::none_of(spec.capacity, [&](const auto& each) { return each.type == *gang.only; }))
    return {"spec.placement.capacity", "found " + std::string(api::name(*gang.only)) + "Only, GpuPool " + pool +
                                           " has no such capacity, its own is " + types_of(spec) +
                                           "; name another pool, or add to its spec.capacity"};
  for (const Demands& list : gang.demands)
    for (const Demand& each : list)
      if (std::ranges::none_of(spec.capacity, [&](const api::PoolCapacity& capacity) {
            return meets_capacity(pool, capacity_label(capacity.type), each);
          }))
        return {each.field, "found " + text_of(each.requirement) + ", and machines of GpuPool " + pool + " have " +
                                types_of(spec) + "; change one of the two"};
  return {"spec.template.spec", "GpuPool " + pool + " rents " + types_of(spec) +
                                    ", and no one of these meets all that the pod and spec.placement.capacity ask for; "
                                    "change one of the two"};
}

std::optional<Misfit> no_zone_for(const std::string& pool, const api::GpuPoolSpec& spec, const Gang& gang) {
  std::optional<Misfit> first;
  const Demands of_pool = zones_of_pool(spec);
  for (const Demands& list : gang.demands) {
    Demands all = of_pool;
    if (!gang.zones.empty()) all.push_back({std::string(kPlacementZones), one_of(gang.zones)});
    std::ranges::copy_if(list, std::back_inserter(all),
                         [](const Demand& each) { return is_of_zones(each.requirement.key); });
    const auto found = contradiction_in(all);
    if (!found) return std::nullopt;
    if (first || found->other < of_pool.size()) continue;
    const Demand& other = all[found->other];
    const bool of_the_pool = found->one < of_pool.size();
    first =
        Misfit{other.field,
               "found " + text_of(other.requirement) +
                   (of_the_pool ? ", which is none of the zones of GpuPool " + pool + ": " : ", which contradicts ") +
                   all[found->one].field + " " + text_of(all[found->one].requirement) + "; change one of the two"};
  }
  return first;
}

}  // namespace reprise::controllers::rentable
