#include "controllers/gpupool/rentable/min_values.h"

#include <optional>
#include <set>
#include <string>

#include "controllers/gpupool/rentable/machines.h"

namespace reprise::controllers::rentable {
namespace {

// Nothing: the table does not say.
std::optional<std::int64_t> values_of_label(const Machines& machines, std::string_view key) {
  std::set<std::string> values;
  for (const gpupool::MachineType* type : machines.types) {
    const auto label = gpupool::label_of(*type, key);
    if (!label) return std::nullopt;
    values.insert(label->front());
  }
  return static_cast<std::int64_t>(values.size());
}

}  // namespace

std::vector<Misfit> too_few_values(const api::GpuPoolSpec& spec) {
  const Machines machines = machines_of(spec);
  if (!machines.complete || machines.types.empty()) return {};
  std::vector<Misfit> out;
  for (std::size_t i = 0; i < spec.requirements.size(); ++i) {
    const api::NodeRequirement& each = spec.requirements[i];
    const auto there = each.min_values ? values_of_label(machines, each.key) : std::nullopt;
    if (!there || *there >= *each.min_values) continue;
    out.push_back({"spec.requirements[" + std::to_string(i) + "].minValues",
                   "found " + std::to_string(*each.min_values) + ", and the machines that meet all else have " +
                       std::to_string(*there) + " of " + each.key +
                       ": Karpenter rents none, unless its min-values-policy is BestEffort; write " +
                       std::to_string(*there)});
  }
  return out;
}

}  // namespace reprise::controllers::rentable
