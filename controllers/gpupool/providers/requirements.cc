#include "controllers/gpupool/providers/requirements.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace reprise::controllers::gpupool {
namespace {

std::optional<std::int64_t> integer_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool compares(std::string_view value, const api::NodeRequirement& requirement) {
  const auto have = integer_in(value);
  const auto bound = requirement.values.empty() ? std::nullopt : integer_in(requirement.values.front());
  if (!have || !bound) return true;
  if (requirement.op == "Gt") return *have > *bound;
  if (requirement.op == "Lt") return *have < *bound;
  if (requirement.op == "Gte") return *have >= *bound;
  return *have <= *bound;
}

}  // namespace

bool meets(std::string_view value, const api::NodeRequirement& requirement) {
  const bool listed = std::ranges::find(requirement.values, value) != requirement.values.end();
  if (requirement.op == "In") return listed;
  if (requirement.op == "NotIn") return !listed;
  if (requirement.op == "DoesNotExist") return false;
  const bool bounded =
      requirement.op == "Gt" || requirement.op == "Lt" || requirement.op == "Gte" || requirement.op == "Lte";
  return !bounded || compares(value, requirement);
}

bool meets(const MachineType& type, const api::NodeRequirement& requirement) {
  const auto values = label_of(type, requirement.key);
  return !values || std::ranges::any_of(*values, [&](const std::string& value) { return meets(value, requirement); });
}

// Of other labels kwok's machines bear none.
bool is_told(const api::GpuPoolSpec& spec, std::string_view key) {
  return (spec.node_class_ref && spec.node_class_ref->group == "karpenter.k8s.aws") ||
         key == "node.kubernetes.io/instance-type" || key.find("-gpu-") != std::string_view::npos;
}

bool meets_requirements(const MachineType& type, const api::GpuPoolSpec& spec) {
  return std::ranges::all_of(spec.requirements, [&](const api::NodeRequirement& each) {
    return !is_told(spec, each.key) || meets(type, each);
  });
}

}  // namespace reprise::controllers::gpupool
