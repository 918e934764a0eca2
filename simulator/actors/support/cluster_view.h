// The pods and nodes that scheduler, Karpenter and the controllers look at, read once per change instead of once per
// look. As fresh as the API server itself: each reader adds its own delay.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "simulator/actors/support/kind_ids.h"
#include "simulator/actors/support/selection.h"
#include "simulator/base/resources.h"
#include "simulator/cluster/cluster.h"

namespace reprise::simulator {

// The facts of a pod's spec: they never change.
struct PodSpecFacts {
  Resources requests;  // with "pods": 1
  Tolerations tolerations;
  Labels node_selector;
  std::vector<Requirements> node_affinity;  // one of them must hold; empty: no term
  std::vector<std::string> claims;          // names of PersistentVolumeClaims
  std::int64_t priority = 0;
  bool preempts = true;  // preemptionPolicy
  std::int64_t grace_seconds = 30;
};

struct PodFacts {
  std::shared_ptr<const PodSpecFacts> spec;
  ObjectPtr object;
  std::string uid, namespace_, name, node, phase, nominated_node;
  std::uint64_t order = 0;  // order of creation
  bool deleting = false, do_not_disrupt = false, unschedulable = false;

  [[nodiscard]] bool finished() const { return phase == "Succeeded" || phase == "Failed"; }
  [[nodiscard]] std::string key() const { return namespace_ + "/" + name; }
};

struct NodeFacts {
  ObjectPtr object;
  std::string uid, name, provider_id;
  Labels labels;
  Taints taints;
  Resources allocatable;
  bool ready = false, unschedulable = false, deleting = false;
};

class ClusterView {
 public:
  ClusterView(Cluster& cluster, const KindIds& kinds);

  [[nodiscard]] const std::map<std::string, PodFacts>& pods() const { return pods_; }  // by namespace/name
  [[nodiscard]] const std::map<std::string, NodeFacts>& nodes() const { return nodes_; }
  [[nodiscard]] const PodFacts* pod(const std::string& key) const;
  [[nodiscard]] const NodeFacts* node(const std::string& name) const;
  // Pods bound to it, whether the node is there or not; in order of their keys.
  [[nodiscard]] std::vector<const PodFacts*> pods_on(const std::string& node) const;
  [[nodiscard]] std::vector<const PodFacts*> users_of_claim(std::string_view namespace_, std::string_view claim) const;
  // The resources that the pods there leave of it.
  [[nodiscard]] Resources free_on(const NodeFacts& node) const;

 private:
  void see(const ObjectChange& change);
  void see_pod(const ObjectChange& change);
  void see_node(const ObjectChange& change);
  [[nodiscard]] std::int64_t priority_of(const Value& pod) const;
  [[nodiscard]] std::shared_ptr<const PodSpecFacts> read_spec(const Value& pod) const;

  Cluster& cluster_;
  const KindIds& kinds_;
  std::map<std::string, PodFacts> pods_;
  std::map<std::string, NodeFacts> nodes_;
  std::map<std::string, std::set<std::string>> by_node_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

// Requests of a pod: the sum over its containers or the largest init container, whichever is more.
[[nodiscard]] Resources requests_of(const Value& pod);

}  // namespace reprise::simulator
