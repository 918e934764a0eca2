#include <algorithm>

#include "apps/common/nearest.h"
#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/rules.h"

namespace reprise::apps::lint {
namespace {

using simulator::array;
using simulator::find;
using simulator::text;
using simulator::Value;

// True when the job's placement allows that type of capacity.
bool fits(std::string_view placement, std::string_view type) {
  if (placement == "SpotOnly") return type == "Spot";
  if (placement == "OnDemandOnly") return type == "OnDemand";
  return true;
}

void look_at_capacity(const Manifest& job, const Manifest& pool, Report& report) {
  const std::string_view wanted = text(job.object, {"spec", "placement", "capacity"});
  const bool any = std::ranges::any_of(array(pool.object, {"spec", "capacity"}),
                                       [&](const Value& capacity) { return fits(wanted, text(capacity, {"type"})); });
  if (any || report.has(job, "spec.placement.capacity")) return;
  report.add(Severity::Error, "no-such-capacity", job, "spec.placement.capacity",
             "found " + std::string(wanted) + ", GpuPool " + std::string(pool.name()) +
                 " has no such capacity; name another pool, or add to its spec.capacity");
}

void look_at_zones(const Manifest& job, const Manifest& pool, Report& report) {
  const auto& allowed = array(pool.object, {"spec", "zones"});
  if (allowed.empty() || report.has(job, "spec.placement.zones")) return;
  const auto& zones = array(job.object, {"spec", "placement", "zones"});
  for (std::size_t i = 0; i < zones.size(); ++i)
    if (std::ranges::find(allowed, zones[i]) == allowed.end())
      report.add(Severity::Error, "no-such-zone", job, "spec.placement.zones[" + std::to_string(i) + "]",
                 "found " + std::string(text(zones[i], {})) + ", which is none of the zones of GpuPool " +
                     std::string(pool.name()));
}

// Reports only a name that is nearly that of a pool in these files: any other pool may be in the cluster already.
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
  // A pool of existing nodes says nothing about them.
  if (pool == nullptr || find(pool->object, {"spec", "nodeClassRef"}) == nullptr) return;
  if (array(pool->object, {"spec", "capacity"}).empty()) return;
  look_at_capacity(manifest, *pool, report);
  look_at_zones(manifest, *pool, report);
}

}  // namespace reprise::apps::lint
