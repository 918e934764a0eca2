#include "simulator/actors/support/cluster_view.h"

#include <algorithm>

#include "simulator/actors/support/conditions.h"

namespace reprise::simulator {
namespace {

// Requests default to limits where only these are set (the API server does that for real).
Resources container_requests(const Value& container) {
  Resources out = read_resources(object(container, {"resources", "limits"}));
  for (const auto& [name, value] : read_resources(object(container, {"resources", "requests"}))) out[name] = value;
  return out;
}

}  // namespace

Resources requests_of(const Value& pod) {
  Resources sum;
  for (const Value& each : array(pod, {"spec", "containers"})) add(sum, container_requests(each));
  for (const Value& each : array(pod, {"spec", "initContainers"}))
    for (const auto& [name, value] : container_requests(each)) sum[name] = std::max(sum[name], value);
  sum["pods"] = 1000;
  return sum;
}

ClusterView::ClusterView(Cluster& cluster, const KindIds& kinds) : cluster_(cluster), kinds_(kinds) {
  for (const ObjectPtr& each : cluster.api.list(kinds.nodes))
    see({.version = 0, .resource = kinds.nodes, .change = Change::Added, .object = each, .before = {}});
  for (const ObjectPtr& each : cluster.api.list(kinds.pods))
    see({.version = 0, .resource = kinds.pods, .change = Change::Added, .object = each, .before = {}});
  subscription_ = cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void ClusterView::see(const ObjectChange& change) {
  if (change.resource == kinds_.pods) see_pod(change);
  if (change.resource == kinds_.nodes) see_node(change);
}

std::int64_t ClusterView::priority_of(const Value& pod) const {
  if (find(pod, {"spec", "priority"}) != nullptr) return number(pod, {"spec", "priority"});
  const std::string_view name = text(pod, {"spec", "priorityClassName"});
  if (name.empty()) return 0;
  const ObjectPtr found = cluster_.api.get({kinds_.priority_classes, "", name});
  return found ? number(*found, {"value"}) : 0;
}

std::shared_ptr<const PodSpecFacts> ClusterView::read_spec(const Value& pod) const {
  auto facts = std::make_shared<PodSpecFacts>();
  facts->requests = requests_of(pod);
  facts->tolerations = read_tolerations(array(pod, {"spec", "tolerations"}));
  facts->node_selector = read_labels(object(pod, {"spec", "nodeSelector"}));
  const auto& terms = array(
      pod, {"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  for (const Value& term : terms) facts->node_affinity.push_back(read_requirements(array(term, {"matchExpressions"})));
  for (const Value& volume : array(pod, {"spec", "volumes"}))
    if (const auto claim = text(volume, {"persistentVolumeClaim", "claimName"}); !claim.empty())
      facts->claims.emplace_back(claim);
  facts->priority = priority_of(pod);
  facts->preempts = text(pod, {"spec", "preemptionPolicy"}) != "Never";
  facts->grace_seconds = number(pod, {"spec", "terminationGracePeriodSeconds"}, 30);
  return facts;
}

void ClusterView::see_pod(const ObjectChange& change) {
  const Value& pod = *change.object;
  const std::string key = std::string(namespace_of(pod)) + "/" + std::string(name_of(pod));
  auto found = pods_.find(key);
  if (found != pods_.end() && (change.change == Change::Deleted || found->second.uid != uid_of(pod))) {
    by_node_[found->second.node].erase(key);
    pods_.erase(found);
    found = pods_.end();
  }
  if (change.change == Change::Deleted) return;
  if (found == pods_.end()) {
    found = pods_.emplace(key, PodFacts{}).first;
    PodFacts& made = found->second;
    made.spec = read_spec(pod);
    made.uid = uid_of(pod);
    made.namespace_ = namespace_of(pod);
    made.name = name_of(pod);
    made.order = change.version;
  }
  PodFacts& facts = found->second;
  facts.object = change.object;
  if (const auto node = text(pod, {"spec", "nodeName"}); node != facts.node) {
    by_node_[facts.node].erase(key);
    facts.node = node;
  }
  if (!facts.node.empty()) by_node_[facts.node].insert(key);
  facts.phase = text(pod, {"status", "phase"});
  facts.nominated_node = text(pod, {"status", "nominatedNodeName"});
  facts.deleting = being_deleted(pod);
  facts.do_not_disrupt = text(pod, {"metadata", "annotations", "karpenter.sh/do-not-disrupt"}) == "true";
  facts.unschedulable = facts.node.empty() && condition_reason(pod, "PodScheduled") == "Unschedulable";
}

void ClusterView::see_node(const ObjectChange& change) {
  const Value& node = *change.object;
  const std::string name(name_of(node));
  if (change.change == Change::Deleted) {
    nodes_.erase(name);
    return;
  }
  NodeFacts& facts = nodes_[name];
  facts.object = change.object;
  facts.name = name;
  facts.uid = uid_of(node);
  facts.provider_id = text(node, {"spec", "providerID"});
  facts.labels = read_labels(object(node, {"metadata", "labels"}));
  facts.taints = read_taints(array(node, {"spec", "taints"}));
  facts.allocatable = read_resources(object(node, {"status", "allocatable"}));
  facts.ready = is_true(node, "Ready");
  facts.unschedulable = flag(node, {"spec", "unschedulable"});
  facts.deleting = being_deleted(node);
}

const PodFacts* ClusterView::pod(const std::string& key) const {
  const auto found = pods_.find(key);
  return found == pods_.end() ? nullptr : &found->second;
}

const NodeFacts* ClusterView::node(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second;
}

std::vector<const PodFacts*> ClusterView::pods_on(const std::string& node) const {
  std::vector<const PodFacts*> out;
  const auto found = by_node_.find(node);
  if (node.empty() || found == by_node_.end()) return out;
  for (const std::string& key : found->second) out.push_back(&pods_.at(key));
  return out;
}

std::vector<const PodFacts*> ClusterView::users_of_claim(std::string_view namespace_, std::string_view claim) const {
  std::vector<const PodFacts*> out;
  for (const auto& [key, pod] : pods_)
    if (pod.namespace_ == namespace_ && std::ranges::find(pod.spec->claims, claim) != pod.spec->claims.end())
      out.push_back(&pod);
  return out;
}

Resources ClusterView::free_on(const NodeFacts& node) const {
  Resources free = node.allocatable;
  for (const PodFacts* pod : pods_on(node.name))
    if (!pod->finished()) subtract(free, pod->spec->requests);
  return free;
}

}  // namespace reprise::simulator
