// The objects fetched from a cluster to explain why a job or pool does not go on: of each kind only the fields that are
// read here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/kubectl-reprise/why/explanation.h"
#include "runtime/kube/time.h"

namespace reprise::api {
struct GpuPool;
struct ResumableJob;
}  // namespace reprise::api

namespace reprise::plugin::why {

using Texts = std::map<std::string, std::string, std::less<>>;

struct Meta {
  std::string name, namespace_, uid;
  std::int64_t generation = 0;
  kube::Time created{};
  std::optional<kube::Time> deleted;  // metadata.deletionTimestamp: when the grace is over
  Texts labels, annotations;
  [[nodiscard]] std::string_view label(std::string_view key) const {
    const auto found = labels.find(key);
    return found == labels.end() ? std::string_view() : std::string_view(found->second);
  }
};

struct Condition {
  std::string type, status, reason, message;
  std::optional<kube::Time> since;
};
using Conditions = std::vector<Condition>;
// nullptr when there is none of that type.
[[nodiscard]] const Condition* find(const Conditions& conditions, std::string_view type);
// The condition when it is there and its status is this one.
[[nodiscard]] const Condition* with_status(const Conditions& conditions, std::string_view type,
                                           std::string_view status);

struct Job {
  Meta meta;
  std::string pool_name;  // empty: none
  std::int64_t observed_generation = -1;
  Conditions conditions;
  std::int64_t attempt = 0, ranks = 0;
  bool reports_live = false;  // status.progress.activity is set: ranks of this attempt report
  std::string last_end_reason, last_end_message;
  std::int64_t unproven_attempt = 0;  // the last attempt that has put checkpoints aside; 0: none
  std::string unproven_message;
  std::shared_ptr<const api::ResumableJob> whole = {};  // as the operator reads it, for arithmetic; null: it cannot
};

struct NodePoolOfPool {
  std::string name;
  bool ready = false;
};
struct Pool {
  Meta meta;
  std::int64_t observed_generation = -1;
  std::string resource_name;  // empty: the pool offers none yet
  Conditions conditions;
  std::vector<NodePoolOfPool> node_pools;
  std::optional<std::int64_t> jobs = {};           // jobs that are not finished
  std::shared_ptr<const api::GpuPool> whole = {};  // as the operator reads it, for arithmetic; null: it cannot
};

enum class ContainerState { Unknown, Waiting, Running, Terminated };
struct Container {
  std::string name;
  bool init = false, ready = false;
  ContainerState state = ContainerState::Unknown;
  std::string reason, message;
  std::int64_t exit_code = 0;
};
struct Pod {
  Meta meta;
  std::string node_name, scheduler_name, phase, reason, message;
  Conditions conditions;
  std::vector<Container> containers;  // init containers first
  std::vector<std::string> claim_names;
};

struct Claim {
  Meta meta;
  std::optional<std::string> storage_class;  // absent: none was named and no default filled in
  std::string phase, volume_name;
};

struct StorageClass {
  Meta meta;
  bool is_default = false;
};

struct Event {
  ObjectRef about;
  std::string reason, message, source;
  bool warning = false;
  kube::Time last{};
};

struct Taint {
  std::string key, value, effect;
};
struct Node {
  Meta meta;
  bool unschedulable = false;
  std::vector<Taint> taints;
  Conditions conditions;
};

struct NodeClaim {
  Meta meta;
  std::string node_name;
  Conditions conditions;
};

struct NodePool {
  Meta meta;
  Texts limits, used;               // quantities as written
  std::string node_class;           // "EC2NodeClass default"
  std::vector<Taint> taints;        // its nodes' taints
  std::vector<std::string> labels;  // keys that its nodes bear, by labels or requirements
  Conditions conditions;
};

struct Quota {
  Meta meta;
  Texts hard, used;
};

struct OperatorDeployment {
  Meta meta;
  std::int64_t wanted = 1, ready = 0;
};
struct OperatorLease {
  Meta meta;
  std::string holder;
  std::optional<kube::Time> renewed;
  std::int64_t duration_seconds = 15;
};

// A kind that could not be read.
struct Unseen {
  std::string kind, why;  // "Lease", "forbidden: ..."
};

struct Objects {
  ObjectRef subject;  // the job or the pool that is asked about
  std::optional<Job> job;
  std::optional<Pool> pool;  // the one asked about, or the job's
  std::vector<Pod> pods;     // the job's pods
  std::vector<Claim> claims;
  std::vector<StorageClass> storage_classes;
  std::vector<Event> events;
  std::vector<Node> nodes;
  std::vector<NodeClaim> node_claims;
  std::vector<NodePool> node_pools;
  std::vector<Quota> quotas;
  std::vector<OperatorDeployment> deployments;
  std::vector<OperatorLease> leases;
  std::vector<Unseen> unseen;

  [[nodiscard]] bool saw(std::string_view kind) const;
};

}  // namespace reprise::plugin::why
