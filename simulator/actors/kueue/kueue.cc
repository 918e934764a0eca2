#include "simulator/actors/kueue/kueue.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "simulator/actors/support/conditions.h"
#include "simulator/api_server/schema/custom_resource.h"

namespace reprise::simulator {
namespace {

constexpr const char *kGroup = "kueue.x-k8s.io", *kVersion = "v1beta2", *kFlavor = "default-flavor";

bool is_over(const Value& workload) {
  return is_true(workload, "Finished") || being_deleted(workload);
}

bool is_active(const Value& workload) {
  const Value* active = find(workload, {"spec", "active"});
  return active == nullptr || !active->is_bool() || active->as_bool();
}

bool is_admitted(const Value& workload) {
  return find(workload, {"status", "admission"}) != nullptr;
}

// A Workload evicted for anything but a preemption waits until Kueue itself says that it may queue again.
bool is_pending(const Value& workload) {
  return !is_over(workload) && is_active(workload) && !is_admitted(workload) &&
         condition_status(workload, "Requeued") != "False";
}

JsonObject assignment(const Value& workload) {
  JsonObject flavors;
  for (const Value& container : array(array(workload, {"spec", "podSets"}).at(0), {"template", "spec", "containers"}))
    for (const auto& [resource, amount] : object(container, {"resources", "limits"})) flavors[resource] = kFlavor;
  return {{"name", "ranks"}, {"flavors", std::move(flavors)}};
}

}  // namespace

void serve_kueue(ApiServer& api) {
  const auto add = [&](const char* plural, const char* kind, bool namespaced) {
    api.add_custom_resource(custom_rules_without_schema({.group = kGroup,
                                                         .version = kVersion,
                                                         .plural = plural,
                                                         .kind = kind,
                                                         .namespaced = namespaced,
                                                         .status_subresource = namespaced,
                                                         .generation = true}));
  };
  add("workloads", "Workload", true);
  add("resourceflavors", "ResourceFlavor", false);
  add("workloadpriorityclasses", "WorkloadPriorityClass", false);
}

std::int64_t units_of(const Value& workload) {
  std::int64_t units = 0;
  for (const Value& pods : array(workload, {"spec", "podSets"}))
    for (const Value& container : array(pods, {"template", "spec", "containers"}))
      for (const char* gpu : {"reprise.dev/gpu", "nvidia.com/gpu"})
        units += number(pods, {"count"}, 1) * number(container, {"resources", "limits", gpu});
  return units;
}

bool holds_units(const Value& workload) {
  return is_admitted(workload) && is_active(workload) && !is_true(workload, "Finished");
}

Kueue::Kueue(Cluster& cluster, runtime::Random& random, std::int64_t units)
    : cluster_(cluster),
      random_(random),
      units_(units),
      workloads_(cluster.api.resource(kGroup, "workloads")),
      cycle_(cluster.loop, [this] { look(); }) {
  (void)cluster_.api.create(cluster_.api.resource(kGroup, "resourceflavors"),
                            JsonObject{{"apiVersion", std::string(kGroup) + "/" + kVersion},
                                       {"kind", "ResourceFlavor"},
                                       {"metadata", JsonObject{{"name", kFlavor}}}});
  subscription_ = cluster_.api.subscribe(
      workloads_, [this](const ObjectChange&) { cycle_.within(jittered(random_, kCycle, 0.5)); });
}

void Kueue::drain(bool drained) {
  drained_ = drained;
  cluster_.log.add("kueue", drained ? "drains the queue" : "fills the queue again");
  cycle_.within(Duration{0});
}

void Kueue::look() {
  std::vector<ObjectPtr> pending;
  for (const ObjectPtr& workload : cluster_.api.list(workloads_)) {
    settle(workload);
    if (is_pending(*workload)) pending.push_back(workload);
  }
  if (drained_) return;
  std::ranges::sort(pending, {}, [](const ObjectPtr& each) {
    return std::tuple(-number(*each, {"spec", "priority"}), text(*each, {"metadata", "creationTimestamp"}),
                      name_of(*each));
  });
  for (const ObjectPtr& workload : pending) {
    const std::int64_t missing = units_of(*workload) - free_units();
    if (missing <= 0) {
      admit(*workload);
    } else if (preempt_for(*workload, missing)) {
      return;  // freed quota is for this one
    } else {
      say_pending(*workload, missing);
    }
  }
}

// Brings a Workload's state up to date, whether there is room or not.
void Kueue::settle(const ObjectPtr& workload) {
  if (is_over(*workload)) return;
  if (is_admitted(*workload) && !is_true(*workload, "Evicted")) {
    if (!is_active(*workload)) return evict(*workload, "Deactivated", "The workload is deactivated");
    if (drained_) return evict(*workload, "ClusterQueueStopped", "The ClusterQueue is stopped");
  }
  const bool held = !is_admitted(*workload) && condition_status(*workload, "Requeued") == "False";
  if (held && is_active(*workload) && !drained_)
    write(*workload, [](Value& value, std::string_view now) {
      set_condition(value, {"Requeued", "True", "ClusterQueueRestarted", "It may be queued again"}, now);
    });
}

void Kueue::admit(const Value& workload) {
  cluster_.log.add("kueue", "admits " + std::string(name_of(workload)));
  write(workload, [&](Value& value, std::string_view now) {
    set(value, {"status", "admission"},
        JsonObject{{"clusterQueue", "gpus"}, {"podSetAssignments", JsonArray{assignment(workload)}}});
    set_condition(value, {"QuotaReserved", "True", "QuotaReserved", "Quota reserved in ClusterQueue gpus"}, now);
    set_condition(value, {"Admitted", "True", "Admitted", "The workload is admitted"}, now);
    if (is_true(value, "Evicted"))
      set_condition(value, {"Evicted", "False", "QuotaReserved", "Previously: it was evicted"}, now);
  });
}

void Kueue::evict(const Value& workload, std::string_view reason, std::string_view message) {
  cluster_.log.add("kueue", "evicts " + std::string(name_of(workload)) + ": " + std::string(reason));
  write(workload, [&](Value& value, std::string_view now) {
    set_condition(value, {"Evicted", "True", reason, message}, now);
  });
}

bool Kueue::preempt_for(const Value& workload, std::int64_t missing) {
  std::vector<ObjectPtr> victims;
  for (const ObjectPtr& each : cluster_.api.list(workloads_)) {
    if (!holds_units(*each)) continue;
    if (is_true(*each, "Evicted"))
      missing -= units_of(*each);
    else if (number(*each, {"spec", "priority"}) < number(workload, {"spec", "priority"}))
      victims.push_back(each);
  }
  std::ranges::sort(victims, {}, [](const ObjectPtr& each) {
    return std::tuple(number(*each, {"spec", "priority"}), name_of(*each));
  });
  std::int64_t least = 0;
  for (const ObjectPtr& each : victims) least += units_of(*each);
  if (least < missing) return false;
  for (const ObjectPtr& each : victims) {
    if (missing <= 0) break;
    evict(*each, "Preempted", "Preempted to accommodate a workload of a higher priority");
    missing -= units_of(*each);
  }
  return true;
}

void Kueue::say_pending(const Value& workload, std::int64_t missing) {
  write(workload, [&](Value& value, std::string_view now) {
    set_condition(
        value,
        {"QuotaReserved", "False", "Pending", "insufficient unused quota, " + std::to_string(missing) + " more needed"},
        now);
  });
}

void Kueue::write(const Value& workload, const std::function<void(Value&, std::string_view now)>& change) {
  const std::string now = time_text(cluster_.loop);
  (void)cluster_.api.update(
      {workloads_, namespace_of(workload), name_of(workload)}, [&](Value& value) { change(value, now); }, "status");
}

std::int64_t Kueue::free_units() const {
  std::int64_t free = units_;
  for (const ObjectPtr& each : cluster_.api.list(workloads_))
    if (holds_units(*each)) free -= units_of(*each);
  return free;
}

}  // namespace reprise::simulator
