// What can never be rented: a pool's and a NodePool's fields against each other, a job against its pool. By the
// arithmetic that the operator and `kubectl reprise why` go by; its words are theirs.
#include "controllers/gpupool/rentable/selectors.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/decoded.h"
#include "apps/reprise/lint/rules/rules.h"
#include "controllers/gpupool/providers/machine_types.h"
#include "controllers/gpupool/rentable/gang_of_job.h"
#include "controllers/gpupool/rentable/min_values.h"
#include "controllers/gpupool/rentable/whole_nodes.h"
#include "simulator/base/resources.h"

namespace reprise::apps::lint {
namespace {

namespace gpupool = controllers::gpupool;
namespace rentable = controllers::rentable;

constexpr std::string_view kAwsGroup = "karpenter.k8s.aws";
constexpr std::string_view kTypeLabel = "node.kubernetes.io/instance-type";

// ---- a pool by itself; that it rents nothing at all the operator's own code has said

std::string name_rule(const rentable::Misspelt& each) {
  return gpupool::find_machine_type(each.meant) == nullptr ? "model-name" : "type-name";
}

// `field`: where the manifest has it.
void report_name(const Manifest& manifest, const rentable::Misspelt& each, const std::string& field, Severity severity,
                 Report& report) {
  report.add(severity, name_rule(each), manifest, field,
             "found " + each.written + ", which no machine's label says; write " + each.meant,
             {replace_value(manifest, field, each.meant)});
}

void look_at_names(const Manifest& manifest, const api::GpuPoolSpec& spec, Report& report) {
  const Severity severity = rentable::pool_misfit(spec) ? Severity::Error : Severity::Warning;
  for (const rentable::Misspelt& each : rentable::misspelt_names(spec))
    report_name(manifest, each, each.field, severity, report);
}

// Only where the table may tell: another cloud has other names.
void look_at_nearly_named_models(const Manifest& manifest, const api::GpuPoolSpec& spec, Report& report) {
  if (spec.node_class_ref->group != kAwsGroup || !spec.instance_types.empty()) return;
  for (std::size_t i = 0; i < spec.gpu.models.size(); ++i) {
    const std::string_view near = gpupool::model_with_a_letter_more(spec.gpu.models[i]);
    if (near.empty()) continue;
    report.add(Severity::Warning, "model-name", manifest, "spec.gpu.models[" + std::to_string(i) + "]",
               "found " + spec.gpu.models[i] + ", which no machine that this version knows has; is " +
                   std::string(near) + " meant?");
  }
}

std::vector<std::string> named_types(const api::GpuPoolSpec& spec) {
  std::vector<std::string> out = spec.instance_types;
  for (const api::NodeRequirement& each : spec.requirements)
    if (each.key == kTypeLabel && each.op == "In") out.insert(out.end(), each.values.begin(), each.values.end());
  return out;
}

// Where the type is named: a NodePool has requirements alone.
std::string field_of_type(const Manifest& manifest, const api::GpuPoolSpec& spec, const std::string& type) {
  const auto found = std::ranges::find(spec.instance_types, type);
  if (found != spec.instance_types.end())
    return "spec.instanceTypes[" + std::to_string(found - spec.instance_types.begin()) + "]";
  const std::string list = manifest.kind() == "NodePool" ? "spec.template.spec.requirements" : "spec.requirements";
  for (std::size_t i = 0; i < spec.requirements.size(); ++i)
    if (const auto& values = spec.requirements[i].values;
        spec.requirements[i].key == kTypeLabel && std::ranges::find(values, type) != values.end())
      return list + "[" + std::to_string(i) + "]";
  return list;
}

void look_at_reported_gpus(const Manifest& manifest, const api::GpuPoolSpec& spec, Report& report) {
  if (spec.node_class_ref->group != kAwsGroup) return;
  for (const std::string& type : named_types(spec)) {
    if (!gpupool::reports_no_gpu(type)) continue;
    const bool part = type != "p5.4xlarge";
    report.add(
        Severity::Warning, "no-gpus-reported", manifest, field_of_type(manifest, spec, type),
        "found " + type +
            (part ? ", of which EC2 reports no whole GPU: Karpenter (as of 1.14) rents none for pods that ask for "
                    "GPUs"
                  : ", of which EC2 reported no GPU at first, and where it still does Karpenter rents none for "
                    "pods that ask for GPUs; Karpenter's list of types has one GPU for it since September 2025 (1.8)") +
            "; see one come before jobs rely on it (github.com/aws/karpenter-provider-aws/issues/8368)");
  }
}

void look_at_gpu_pool(const Manifest& manifest, Report& report) {
  const auto pool = decoded<api::GpuPool>(manifest);
  if (!pool || !pool->spec.node_class_ref) return;
  look_at_nearly_named_models(manifest, pool->spec, report);
  look_at_reported_gpus(manifest, pool->spec, report);
  for (const rentable::Misfit& each : rentable::types_left_out(pool->spec))
    report.add(Severity::Warning, "type-left-out", manifest, each.field, each.found);
  for (const rentable::Misfit& each : rentable::limits_between_nodes(pool->spec))
    report.add(Severity::Warning, "limit-between-nodes", manifest, each.field, each.found);
  for (const rentable::Misfit& each : rentable::too_few_values(pool->spec))
    report.add(Severity::Warning, "min-values", manifest, each.field, each.found);
}

// ---- a NodePool, read as a pool would be

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// In the words of a NodePool's fields.
std::string of_node_pool(const std::string& text) {
  return replaced(replaced(replaced(text, "spec.requirements[", "spec.template.spec.requirements["), "spec.labels.",
                           "spec.template.metadata.labels."),
                  "name in spec.instanceTypes", "name by " + std::string(kTypeLabel));
}

api::GpuPoolSpec as_pool(const api::NodePool& node_pool) {
  api::GpuPoolSpec spec;
  spec.node_class_ref = node_pool.spec.node_class_ref;
  spec.requirements = node_pool.spec.requirements;
  spec.labels = node_pool.spec.labels;
  return spec;
}

// The operator's own say what their GpuPool says.
bool is_of_a_gpu_pool(const api::NodePool& node_pool) {
  return std::ranges::any_of(node_pool.meta.owner_references,
                             [](const kube::OwnerReference& owner) { return owner.kind == "GpuPool"; });
}

// Types or families of which each has GPUs.
bool names_machines_with_gpus(const api::NodeRequirement& requirement) {
  if (requirement.op != "In" || requirement.values.empty()) return false;
  const bool by_family = requirement.key == "karpenter.k8s.aws/instance-family";
  if (!by_family && requirement.key != kTypeLabel) return false;
  return std::ranges::all_of(requirement.values, [&](const std::string& value) {
    return std::ranges::any_of(gpupool::machine_types(), [&](const gpupool::MachineType& type) {
      return value == (by_family ? gpupool::family_of(type.name) : type.name);
    });
  });
}

// Of others, whose machines may have none, the table of those with GPUs says nothing.
bool asks_for_gpus(const api::NodePool& node_pool) {
  return std::ranges::any_of(node_pool.spec.requirements, [](const api::NodeRequirement& each) {
    const bool of_gpu = each.key.find("-gpu-") != std::string::npos;
    return (of_gpu && !rentable::needs_no_label(each) && each.op != "Lt") || names_machines_with_gpus(each);
  });
}

bool keeps_gpus_out(const api::NodePool& node_pool) {
  return std::ranges::any_of(node_pool.spec.requirements, [](const api::NodeRequirement& each) {
    return each.key.find("-gpu-") != std::string::npos && each.op == "DoesNotExist";
  });
}

void look_at_limit(const Manifest& manifest, api::GpuPoolSpec spec, std::int64_t limit, Report& report) {
  const auto sizes = rentable::machines_of(spec).sizes;
  if (!sizes) return;
  spec.capacity = {
      {.type = api::CapacityType::Spot, .max_gpus = static_cast<std::int32_t>(limit), .notice_seconds = {}}};
  std::erase_if(spec.requirements, [](const auto& each) { return each.key == "karpenter.sh/capacity-type"; });
  auto misfits = rentable::limits_between_nodes(spec);
  if (const auto none = rentable::pool_misfit(spec); none && none->lack == rentable::Lack::Limit)
    misfits.push_back(none->misfit);
  for (const rentable::Misfit& each : misfits)
    report.add(Severity::Warning, "limit-between-nodes", manifest, "spec.limits.nvidia.com/gpu",
               of_node_pool(each.found));
}

// Karpenter rents no machine that has more than a limit leaves. A limit of 0 is there to stop it.
void look_at_other_limits(const Manifest& manifest, const api::NodePoolSpec& node_pool, const api::GpuPoolSpec& spec,
                          Report& report) {
  const rentable::Machines machines = rentable::machines_of(spec);
  if (!machines.complete || machines.types.empty()) return;
  // Of memory its provider leaves out what a hypervisor takes: 7.5 percent, or as it is told.
  constexpr std::int64_t kMemoryPercent = 80, kMiB = 1 << 20;
  const auto least = [&](auto of) { return std::ranges::min(machines.types, {}, of)->*of; };
  const auto look_at = [&](const char* resource, std::int64_t smallest, const std::string& shown) {
    const auto limit = node_pool.limits.find(resource);
    const std::int64_t most = limit == node_pool.limits.end() ? 0 : simulator::parse_amount(std::string(limit->second));
    if (most > 0 && most / 1000 < smallest)
      report.add(Severity::Warning, "limit-between-nodes", manifest, "spec.limits." + std::string(resource),
                 "found " + std::string(limit->second) + ", and the smallest machine has " + shown +
                     ": nothing is rented; raise it, or let the NodePool have smaller machines");
  };
  const std::int64_t cpus = least(&gpupool::MachineType::cpus);
  const std::int64_t memory = least(&gpupool::MachineType::memory_mib);
  look_at("cpu", cpus, std::to_string(cpus));
  look_at("memory", memory * kMiB * kMemoryPercent / 100, std::to_string(memory) + "Mi");
}

// Whole, as it is written; nothing: there is none, or it is not understood.
std::optional<std::int64_t> limit_of(const api::NodePoolSpec& spec, std::string_view resource) {
  const auto found = spec.limits.find(resource);
  if (found == spec.limits.end()) return std::nullopt;
  constexpr std::int64_t kMostThatCounts = 1'000'000;
  const std::int64_t most = simulator::parse_amount(std::string(found->second)) / 1000;
  return most >= 0 && most < kMostThatCounts ? std::optional(most) : std::nullopt;
}

// Karpenter counts machines by a limit of their own. 0 stops the NodePool on purpose.
void look_at_limit_of_nodes(const Manifest& manifest, const api::NodePoolSpec& node_pool, const api::GpuPoolSpec& spec,
                            Report& report) {
  const auto nodes = limit_of(node_pool, "nodes");
  if (!nodes || *nodes == 0) return;
  const std::string found = "found " + std::to_string(*nodes);
  const std::int64_t replicas = simulator::number(manifest.object, {"spec", "replicas"});
  if (replicas > *nodes)
    report.add(Severity::Warning, "limit-below-replicas", manifest, "spec.limits.nodes",
               found + ", and spec.replicas is " + std::to_string(replicas) + ": " + std::to_string(*nodes) +
                   " are rented; write " + std::to_string(replicas) + " or more");
  const auto sizes = rentable::machines_of(spec).sizes;
  const auto gpus = limit_of(node_pool, "nvidia.com/gpu");
  if (!sizes || sizes->empty() || !gpus) return;
  const std::int64_t largest = sizes->back();
  if (largest <= 0 || *nodes * largest >= rentable::gpus_in_whole_nodes(*sizes, *gpus)) return;
  const std::int64_t enough = (*gpus + largest - 1) / largest;
  report.add(Severity::Warning, "limit-between-nodes", manifest, "spec.limits.nodes",
             found + ", and a machine has " + std::to_string(largest) +
                 " GPUs at the most: " + std::to_string(*nodes * largest) + " of the " + std::to_string(*gpus) +
                 " of spec.limits.nvidia.com/gpu are rented; write " + std::to_string(enough) +
                 " or more, or lower that limit");
}

void look_at_node_pool(const Manifest& manifest, Report& report) {
  const auto node_pool = decoded<api::NodePool>(manifest);
  if (!node_pool || !asks_for_gpus(*node_pool) || is_of_a_gpu_pool(*node_pool)) return;
  const api::GpuPoolSpec spec = as_pool(*node_pool);
  look_at_reported_gpus(manifest, spec, report);
  const auto misspelt = rentable::misspelt_names(spec);
  for (const rentable::Misspelt& each : misspelt)
    report_name(manifest, each, of_node_pool(each.field), Severity::Warning, report);
  if (!misspelt.empty()) return;
  if (const auto misfit = rentable::machines_of(spec).misfit) {
    const std::string field = of_node_pool(misfit->field);
    return report.add(Severity::Warning, "no-machine-fits", manifest,
                      manifest.find(field) == nullptr ? "spec.template" : field, of_node_pool(misfit->found));
  }
  for (const rentable::Misfit& each : rentable::too_few_values(spec))
    report.add(Severity::Warning, "min-values", manifest, of_node_pool(each.field), each.found);
  look_at_other_limits(manifest, node_pool->spec, spec, report);
  look_at_limit_of_nodes(manifest, node_pool->spec, spec, report);
  if (const auto most = limit_of(node_pool->spec, "nvidia.com/gpu"); most.value_or(0) > 0)
    look_at_limit(manifest, spec, *most, report);
}

// ---- a job beside its pool

void look_at_selectors(const Manifest& manifest, const std::string& pool, const api::GpuPoolSpec& spec,
                       const std::vector<rentable::Demands>& demands, Report& report) {
  for (const rentable::SelectorMisfit& each : rentable::selector_misfits(pool, spec, demands))
    report.add(each.comes_later ? Severity::Warning : Severity::Error,
               each.comes_later ? "selector-comes-later" : "selector-against-pool", manifest, each.misfit.field,
               spec.capacity.empty() ? replaced(replaced(each.misfit.found, "GpuPool ", "NodePool "), "spec.labels",
                                                "spec.template.metadata.labels")
                                     : each.misfit.found);
}

std::string rule_of(const std::string& field) {
  if (field == "spec.parallelism") return "pool-too-small";
  if (field == "spec.placement.capacity") return "no-such-capacity";
  if (field == "spec.placement.zones") return "no-such-zone";
  if (field.find("].resources.limits.") != std::string::npos) return "resource-not-offered";
  if (field.find("nodeSelectorTerms[") != std::string::npos || field == "spec.template.spec")
    return "selector-against-pool";
  return field.find("nodeSelector") == std::string::npos ? "node-too-small" : "selector-against-pool";
}

// Without a pool of ours: the NodePool that the template names.
void look_at_named_node_pool(const Manifest& manifest, const std::vector<rentable::Demands>& demands,
                             const std::vector<Manifest>& all, Report& report) {
  for (const rentable::Demands& list : demands)
    for (const rentable::Demand& each : list) {
      if (each.requirement.key != "karpenter.sh/nodepool" || each.requirement.values.size() != 1) continue;
      const auto named = std::ranges::find_if(all, [&](const Manifest& other) {
        return other.kind() == "NodePool" && other.name() == each.requirement.values.front();
      });
      const auto node_pool = named == all.end() ? nullptr : decoded<api::NodePool>(*named);
      if (!node_pool) continue;
      api::GpuPoolSpec spec = as_pool(*node_pool);
      spec.labels["karpenter.sh/nodepool"] = node_pool->meta.name;
      return look_at_selectors(manifest, node_pool->meta.name, spec, demands, report);
    }
}

void look_at_resumable_job(const Manifest& manifest, const std::vector<Manifest>& all, Report& report) {
  const auto job = decoded<api::ResumableJob>(manifest);
  if (!job) return;
  const Manifest* written = pool_of(manifest, all);
  const auto pool = written == nullptr ? nullptr : decoded<api::GpuPool>(*written);
  if (!pool) {
    if (job->spec.pool_name.empty())
      look_at_named_node_pool(manifest, rentable::demands_of_template(job->spec.pod_template.json.text()), all, report);
    return;
  }
  pool->status = {};
  const rentable::Gang gang = rentable::gang_of(*job, *pool);
  look_at_selectors(manifest, pool->meta.name, pool->spec, gang.demands, report);
  // That the pool rents nothing is said of the pool.
  if (rentable::pool_misfit(pool->spec)) return;
  const auto misfit = rentable::gang_misfit(pool->meta.name, pool->spec, gang, controllers::prices::PriceTable());
  if (misfit && !report.has(manifest, misfit->field))
    report.add(Severity::Error, rule_of(misfit->field), manifest, misfit->field, misfit->found);
}

}  // namespace

bool rents_gpus(const Manifest& node_pool) {
  const auto read = decoded<api::NodePool>(node_pool);
  if (!read || keeps_gpus_out(*read)) return false;
  return asks_for_gpus(*read) || limit_of(read->spec, "nvidia.com/gpu").value_or(0) > 0;
}

void model_rules(const Manifest& manifest, Report& report) {
  const auto pool = manifest.kind() == "GpuPool" ? decoded<api::GpuPool>(manifest) : nullptr;
  if (pool && pool->spec.node_class_ref) look_at_names(manifest, pool->spec, report);
}

void rentable_rules(const Manifest& manifest, const std::vector<Manifest>& all, Report& report) {
  if (manifest.kind() == "GpuPool") look_at_gpu_pool(manifest, report);
  if (manifest.kind() == "NodePool" && manifest.api_version() == "karpenter.sh/v1") look_at_node_pool(manifest, report);
  if (manifest.kind() == "ResumableJob") look_at_resumable_job(manifest, all, report);
}

}  // namespace reprise::apps::lint
