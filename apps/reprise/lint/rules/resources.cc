// Checks the requests of a job's containers: GPUs of the pool, memory, and other resources as the API server takes
// them.
#include <algorithm>

#include "api/gpu_pool.h"
#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/rules.h"
#include "simulator/base/json.h"
#include "simulator/base/resources.h"

namespace reprise::apps::lint {
namespace {

using simulator::array;
using simulator::object;
using simulator::text;
using simulator::Value;

// NVIDIA's plugin offers slices under this name, and refuses pods that ask for more than one.
constexpr std::string_view kShared = "nvidia.com/gpu.shared";

std::string one_unit() {
  return std::string(api::kUnitResource) + ": 1";
}

std::string quantity(const Value& value) {
  if (value.is_string()) return std::string(text(value, {}));
  return value.is_int64() || value.is_uint64() ? std::to_string(simulator::number(value, {})) : std::string();
}

bool is_same(const Value& one, const Value& other) {
  return simulator::parse_amount(quantity(one)) == simulator::parse_amount(quantity(other));
}

// The API server takes them in whole numbers, and only where request and limit are the same.
bool is_extended(std::string_view resource) {
  const auto slash = resource.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view domain = resource.substr(0, slash);
  return domain != "kubernetes.io" && !domain.ends_with(".kubernetes.io");
}

std::optional<Edit> with_limit(const Manifest& job, const std::string& at, const std::string& resource,
                               const std::string& value) {
  const std::string limits = at + ".resources.limits";
  if (job.find(limits) != nullptr) return insert(job, limits, {resource}, value);
  return insert(job, at + ".resources", {"limits"}, "{" + resource + ": " + value + "}");
}

void look_at_requests(const Manifest& job, const std::string& at, const Value& container, Report& report) {
  const auto& limits = object(container, {"resources", "limits"});
  for (const auto& each : object(container, {"resources", "requests"})) {
    const std::string resource(each.key());
    if (!is_extended(resource)) continue;
    const std::string field = at + ".resources.requests." + resource;
    const std::string asked = quantity(each.value());
    const auto* limit = limits.if_contains(resource);
    if (limit == nullptr) {
      report.add(Severity::Error, "request-without-limit", job, field,
                 "found " + asked + " and no limit of it: the API server refuses such a pod; write it in limits",
                 {with_limit(job, at, resource, asked)});
    } else if (!is_same(each.value(), *limit)) {
      report.add(Severity::Error, "request-unlike-limit", job, field,
                 "found " + asked + ", and its limit is " + quantity(*limit) +
                     ": the API server refuses such a pod; write " + quantity(*limit),
                 {replace_value(job, field, quantity(*limit))});
    }
  }
}

// Reports more than one slice asked for by its own name, past the pool's units.
void look_at_slices(const Manifest& job, const std::string& at, const Value& container, bool has_pool, Report& report) {
  const auto& limits = object(container, {"resources", "limits"});
  const auto* asked = limits.if_contains(kShared);
  if (asked == nullptr || simulator::parse_amount(quantity(*asked)) <= 1000) return;
  report.add(Severity::Error, "several-slices", job, at + ".resources.limits." + std::string(kShared),
             "found " + quantity(*asked) +
                 ": more slices of a shared GPU give no larger share, and the device plugin refuses the pod; write " +
                 (has_pool ? one_unit() : "1"));
}

std::optional<Edit> with_gpu(const Manifest& job, const std::string& at, bool has_limits) {
  if (has_limits) return insert(job, at + ".resources.limits", {std::string(api::kUnitResource)}, "1");
  if (job.find(at + ".resources") != nullptr) return insert(job, at + ".resources", {"limits"}, "{" + one_unit() + "}");
  return insert(job, at, {"resources"}, "{limits: {" + one_unit() + "}}");
}

void look_at_gpus(const Manifest& job, const std::string& at, const Value& container, Report& report) {
  if (asks_for_gpu(container)) return;
  const auto& limits = object(container, {"resources", "limits"});
  report.add(Severity::Warning, "no-gpu", job, at + ".resources.limits",
             "asks for no GPU of its pool; write reprise.dev/gpu: 1, or leave spec.poolName out",
             {with_gpu(job, at, !limits.empty())});
}

void look_at_memory(const Manifest& job, const std::string& at, const Value& container, Report& report) {
  if (object(container, {"resources", "limits"}).contains("memory") ||
      object(container, {"resources", "requests"}).contains("memory"))
    return;
  report.add(Severity::Advice, "no-memory", job, at + ".resources",
             "asks for no memory: the kubelet ends such pods first when a node runs short of it");
}

}  // namespace

void look_at_resources(const Manifest& job, const std::vector<Manifest>&, Report& report) {
  const bool has_pool = !text(job.object, {"spec", "poolName"}).empty();
  const int trainer = training_container_of(job);
  for (const char* list : {"initContainers", "containers"}) {
    const auto& containers = array(job.object, {"spec", "template", "spec", list});
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const std::string at = "spec.template.spec." + std::string(list) + "[" + std::to_string(i) + "]";
      look_at_requests(job, at, containers[i], report);
      look_at_slices(job, at, containers[i], has_pool, report);
      if (std::string_view(list) != "containers" || static_cast<int>(i) != trainer) continue;
      if (has_pool) look_at_gpus(job, at, containers[i], report);
      look_at_memory(job, at, containers[i], report);
    }
  }
}

}  // namespace reprise::apps::lint
