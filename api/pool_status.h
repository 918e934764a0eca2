// The status of a GpuPool. Field meanings for users are in crds/reprise.dev_gpupools.yaml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/capacity_type.h"
#include "runtime/kube/meta.h"

namespace reprise::api {

struct PoolNodePoolStatus {
  std::string name;
  CapacityType capacity_type = CapacityType::Spot;
  bool ready = false;
  static void fields(auto& self, auto& field) {
    field("name", self.name);
    field("capacityType", self.capacity_type);
    field("ready", self.ready);
  }
  bool operator==(const PoolNodePoolStatus&) const = default;
};

struct MachinesStatus {  // of one size
  std::int32_t gpus = 0, count = 0;
  static void fields(auto& self, auto& field) {
    field("gpus", self.gpus);
    field("count", self.count);
  }
  bool operator==(const MachinesStatus&) const = default;
};

struct CapacityStatus {
  CapacityType type = CapacityType::Spot;
  std::int32_t nodes = 0, gpus = 0, gpus_used = 0;
  std::vector<MachinesStatus> machines = {};  // ascending by GPUs
  static void fields(auto& self, auto& field) {
    field("type", self.type);
    field("nodes", self.nodes);
    field("gpus", self.gpus);
    field("gpusUsed", self.gpus_used);
    field("machines", self.machines);
  }
  bool operator==(const CapacityStatus&) const = default;
};

struct UnitsStatus {  // a unit is one slice, or one GPU when exclusive
  std::int32_t total = 0, used = 0;
  static void fields(auto& self, auto& field) {
    field("total", self.total);
    field("used", self.used);
  }
  bool operator==(const UnitsStatus&) const = default;
};

struct IsolationStatus {  // "None", "Limited", "Hardware"; "Unknown" where nobody said
  std::string memory, compute, fault;
  static void fields(auto& self, auto& field) {
    field("memory", self.memory);
    field("compute", self.compute);
    field("fault", self.fault);
  }
  bool operator==(const IsolationStatus&) const = default;
};

struct PoolCostStatus {  // decimals, USD; estimates
  std::string per_hour, idle_per_hour, on_demand_per_hour;
  static void fields(auto& self, auto& field) {
    field("perHour", self.per_hour);
    field("idlePerHour", self.idle_per_hour);
    field("onDemandPerHour", self.on_demand_per_hour);
  }
  bool operator==(const PoolCostStatus&) const = default;
};

struct PoolInterruptionsStatus {
  std::int32_t total = 0;
  std::optional<kube::Time> last_time;
  static void fields(auto& self, auto& field) {
    field("total", self.total);
    field("lastTime", self.last_time);
  }
  bool operator==(const PoolInterruptionsStatus&) const = default;
};

// A node that was given back because its GPUs were called broken.
struct NodeReplacement {
  std::string node_claim, node;
  kube::Time time{};
  std::string fault;  // in the words of its monitor
  static void fields(auto& self, auto& field) {
    field("nodeClaim", self.node_claim);
    field("node", self.node);
    field("time", self.time);
    field("fault", self.fault);
  }
  bool operator==(const NodeReplacement&) const = default;
};

struct PoolHealthStatus {
  std::int32_t faulty_nodes = 0;
  std::vector<NodeReplacement> replacements;  // the newest last
  static void fields(auto& self, auto& field) {
    field("faultyNodes", self.faulty_nodes);
    field("replacements", self.replacements);
  }
  bool operator==(const PoolHealthStatus&) const = default;
};

// The reason of a node whose type of capacity the pool takes only where a preferred one is not to be had.
inline constexpr std::string_view kPreferredCapacity = "PreferredCapacity";

// A node that was given back because it had drifted, or so that the pool tries preferred capacity again.
struct RolledNode {
  std::string node_claim, node;
  kube::Time time{};
  std::string reason = {};  // kPreferredCapacity; empty: it had drifted
  // With kPreferredCapacity: since when the preferred one was not to be had.
  std::optional<kube::Time> fallback_since = {};
  static void fields(auto& self, auto& field) {
    field("nodeClaim", self.node_claim);
    field("node", self.node);
    field("time", self.time);
    field("reason", self.reason);
    field("fallbackSince", self.fallback_since);
  }
  bool operator==(const RolledNode&) const = default;
};

struct PoolDriftStatus {
  std::int32_t drifted_nodes = 0;
  std::vector<RolledNode> rolled;  // the newest last
  static void fields(auto& self, auto& field) {
    field("driftedNodes", self.drifted_nodes);
    field("rolled", self.rolled);
  }
  bool operator==(const PoolDriftStatus&) const = default;
};

// A machine that is paid for and has not become useful yet.
struct StartingMachine {
  std::string node_claim, node_pool;
  kube::Time since{};           // when its NodeClaim was made
  std::string per_hour;         // decimal, USD; empty: nobody knows
  std::int32_t try_number = 1;  // machines that start together have the same
  bool failed = false;          // counted in back_off, and being ended
  bool initialized = false;     // Karpenter has called it so; pods wait, and none has been placed there yet
  static void fields(auto& self, auto& field) {
    field("nodeClaim", self.node_claim);
    field("nodePool", self.node_pool);
    field("since", self.since);
    field("perHour", self.per_hour);
    field("try", self.try_number);
    field("failed", self.failed);
    field("initialized", self.initialized);
  }
  bool operator==(const StartingMachine&) const = default;
};

// A NodePool whose machines do not become useful: since the last one that did.
struct NodePoolBackOff {
  std::string node_pool;
  std::int32_t tries = 0, machines = 0;
  kube::Time last_time{}, next_time{};  // when the last try was given up; before the other no further machine is rented
  std::string spent;                    // decimal, USD: on these machines
  std::string reason, message;          // name what the last machine lacked
  bool initialized = false;             // the last machine was ready, and no waiting pod was placed there
  std::int64_t generation = 0;          // the pool's, when it was last tried
  std::string retry;                    // the pool's annotation kRetryAnnotation then
  static void fields(auto& self, auto& field) {
    field("nodePool", self.node_pool);
    field("tries", self.tries);
    field("machines", self.machines);
    field("lastTime", self.last_time);
    field("nextTime", self.next_time);
    field("spent", self.spent);
    field("reason", self.reason);
    field("message", self.message);
    field("initialized", self.initialized);
    field("generation", self.generation);
    field("retry", self.retry);
  }
  bool operator==(const NodePoolBackOff&) const = default;
};

// Another value of this annotation of a pool ends its pauses.
inline constexpr std::string_view kRetryAnnotation = "reprise.dev/retry";

struct PoolStartupStatus {
  std::vector<StartingMachine> starting;
  std::vector<NodePoolBackOff> back_off;  // empty: no machine has failed since the last one that became useful
  static void fields(auto& self, auto& field) {
    field("starting", self.starting);
    field("backOff", self.back_off);
  }
  bool operator==(const PoolStartupStatus&) const = default;
};

struct GpuPoolStatus {
  std::int64_t observed_generation = -1;
  std::vector<kube::Condition> conditions;
  std::vector<PoolNodePoolStatus> node_pools;
  std::vector<CapacityStatus> capacity;
  UnitsStatus units;
  std::string resource_name;  // the resource a pod must request
  IsolationStatus isolation;
  PoolCostStatus cost;
  PoolInterruptionsStatus interruptions;
  PoolHealthStatus health;
  PoolDriftStatus drift;
  PoolStartupStatus startup;
  std::int32_t warm_gpus = 0;  // wanted by spec.warm, on a node, and kept ready there
  std::int32_t warm_gpus_wanted = 0;
  std::optional<kube::Time> warm_gpus_until;  // when schedules change that number next
  std::int32_t jobs = 0;                      // unfinished ResumableJobs that name the pool
  // The part of a pod's spec, as YAML, by which a pod that is no ResumableJob's uses the pool.
  std::string usage;
  // For the printer columns: "used/total", sharing as text ("TimeSlicing x4").
  std::string gpus, sharing;
  static void fields(auto& self, auto& field) {
    field("observedGeneration", self.observed_generation);
    field("conditions", self.conditions);
    field("nodePools", self.node_pools);
    field("capacity", self.capacity);
    field("units", self.units);
    field("resourceName", self.resource_name);
    field("isolation", self.isolation);
    field("cost", self.cost);
    field("interruptions", self.interruptions);
    field("health", self.health);
    field("drift", self.drift);
    field("startup", self.startup);
    field("warmGpus", self.warm_gpus);
    field("warmGpusWanted", self.warm_gpus_wanted);
    field("warmGpusUntil", self.warm_gpus_until);
    field("jobs", self.jobs);
    field("usage", self.usage);
    field("gpus", self.gpus);
    field("sharing", self.sharing);
  }
  bool operator==(const GpuPoolStatus&) const = default;
};

}  // namespace reprise::api
