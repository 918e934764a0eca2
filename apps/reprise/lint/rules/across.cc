#include <algorithm>

#include "apps/common/nearest.h"
#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/rules.h"
#include "simulator/base/resources.h"

namespace reprise::apps::lint {
namespace {

using simulator::array;
using simulator::find;
using simulator::number;
using simulator::text;
using simulator::Value;

// What the job may run on.
bool fits(std::string_view placement, std::string_view type) {
  if (placement == "SpotOnly") return type == "Spot";
  if (placement == "OnDemandOnly") return type != "Spot";
  return true;
}

// Units that one rank asks for; 0 where it says nothing.
std::int64_t units_of_rank(const Manifest& job) {
  const int trainer = training_container_of(job);
  if (trainer < 0) return 0;
  const Value& container =
      array(job.object, {"spec", "template", "spec", "containers"})[static_cast<std::size_t>(trainer)];
  for (const char* resource : {"reprise.dev/gpu", "nvidia.com/gpu"}) {
    const Value* count = find(container, {"resources", "limits", resource});
    if (count == nullptr) continue;
    return count->is_string() ? simulator::parse_amount(text(*count, {})) / 1000 : number(*count, {});
  }
  return 0;
}

std::int64_t units_per_gpu(const Value& pool) {
  const auto mode = text(pool, {"spec", "sharing", "mode"});
  if (mode == "MIG") {
    const auto& devices = array(pool, {"spec", "sharing", "migDevices"});
    return devices.empty() ? 1 : number(devices[0], {"count"}, 1);
  }
  return mode == "TimeSlicing" || mode == "MPS" ? number(pool, {"spec", "sharing", "replicas"}, 1) : 1;
}

void look_at_room(const Manifest& job, const Manifest& pool, Report& report) {
  const std::int64_t ranks = number(job.object, {"spec", "parallelism"}, 1);
  const std::int64_t units = units_of_rank(job);
  const std::int64_t per_gpu = units_per_gpu(pool.object);
  std::int64_t most = 0;
  bool bounded = true;
  bool any = false;
  for (const Value& capacity : array(pool.object, {"spec", "capacity"})) {
    if (!fits(text(job.object, {"spec", "placement", "capacity"}), text(capacity, {"type"}))) continue;
    any = true;
    bounded = bounded && find(capacity, {"maxGpus"}) != nullptr;
    most += number(capacity, {"maxGpus"});
  }
  if (!any) {
    report.add(Severity::Error, "no-such-capacity", job, "spec.placement.capacity",
               "found " + std::string(text(job.object, {"spec", "placement", "capacity"})) + ", GpuPool " +
                   std::string(pool.name()) + " has no such capacity; name another pool, or add to its spec.capacity");
    return;
  }
  if (bounded && units > 0 && ranks * units > most * per_gpu)
    report.add(Severity::Error, "pool-too-small", job, "spec.parallelism",
               std::to_string(ranks) + " ranks ask for " + std::to_string(ranks * units) + " units, GpuPool " +
                   std::string(pool.name()) + " has " + std::to_string(most * per_gpu) +
                   " at most (spec.capacity[].maxGpus): the gang never starts");
  std::int64_t largest = 0;
  for (const Value& count : array(pool.object, {"spec", "gpu", "countsPerNode"}))
    largest = std::max(largest, number(count, {}));
  if (largest > 0 && units > largest * per_gpu)
    report.add(Severity::Error, "node-too-small", job,
               "spec.template.spec.containers[" + std::to_string(training_container_of(job)) + "].resources.limits",
               "a rank asks for " + std::to_string(units) + " units, a node of GpuPool " + std::string(pool.name()) +
                   " has " + std::to_string(largest * per_gpu) + " at most (spec.gpu.countsPerNode)");
}

void look_at_zones(const Manifest& job, const Manifest& pool, Report& report) {
  const auto& allowed = array(pool.object, {"spec", "zones"});
  if (allowed.empty()) return;
  const auto& zones = array(job.object, {"spec", "placement", "zones"});
  for (std::size_t i = 0; i < zones.size(); ++i)
    if (std::ranges::find(allowed, zones[i]) == allowed.end())
      report.add(Severity::Error, "no-such-zone", job, "spec.placement.zones[" + std::to_string(i) + "]",
                 "found " + std::string(text(zones[i], {})) + ", which is none of the zones of GpuPool " +
                     std::string(pool.name()));
}

// The pool may be in the cluster already; a name that is nearly one of these files is a slip.
void look_at_pool_name(const Manifest& job, const std::vector<Manifest>& all, Report& report) {
  const std::string wanted(text(job.object, {"spec", "poolName"}));
  if (wanted.empty() || pool_of(job, all) != nullptr) return;
  std::vector<std::string> pools;
  for (const Manifest& each : all)
    if (each.kind() == "GpuPool") pools.emplace_back(each.name());
  const auto meant = wanted.size() < 3 ? std::nullopt : nearest(wanted, pools);
  if (!meant || letters_apart(wanted, *meant) > 1) return;
  report.add(Severity::Warning, "pool-name", job, "spec.poolName",
             "found " + wanted + ", these files have GpuPool " + *meant + "; write " + *meant,
             {replace_value(job, "spec.poolName", *meant)});
}

void look_at_doubles(const Manifest& manifest, const std::vector<Manifest>& all, Report& report) {
  for (const Manifest& each : all) {
    if (&each == &manifest) return;
    if (each.kind() == manifest.kind() && each.name() == manifest.name() &&
        each.namespace_() == manifest.namespace_() && !each.name().empty()) {
      report.add(Severity::Warning, "twice", manifest, "metadata.name",
                 manifest.title() + " is in " + each.file + ":" + std::to_string(each.place_of("metadata.name").line) +
                     ", too: the later one replaces the former");
      return;
    }
  }
}

}  // namespace

void rules_across(const Manifest& manifest, const std::vector<Manifest>& all, Report& report) {
  if (manifest.kind() != "GpuPool" && manifest.kind() != "ResumableJob" && manifest.kind() != "NodePool") return;
  look_at_doubles(manifest, all, report);
  if (manifest.kind() != "ResumableJob") return;
  look_at_pool_name(manifest, all, report);
  const Manifest* pool = pool_of(manifest, all);
  // Of nodes that are there already nothing is known.
  if (pool == nullptr || find(pool->object, {"spec", "nodeClassRef"}) == nullptr) return;
  if (array(pool->object, {"spec", "capacity"}).empty()) return;
  look_at_room(manifest, *pool, report);
  look_at_zones(manifest, *pool, report);
}

}  // namespace reprise::apps::lint
