#include "simulator/actors/scheduler/fit.h"

#include <algorithm>

namespace reprise::simulator {

bool selects(const PodSpecFacts& pod, const Labels& node) {
  for (const auto& [key, value] : pod.node_selector) {
    const auto found = node.find(key);
    if (found == node.end() || found->second != value) return false;
  }
  return pod.node_affinity.empty() ||
         std::ranges::any_of(pod.node_affinity, [&](const Requirements& term) { return satisfies(term, node); });
}

Fit fit(const PodSpecFacts& pod, const VolumeNeeds& volumes, const NodeFacts& node, const Resources& free) {
  if (node.unschedulable) return {Misfit::Closed, "node(s) were unschedulable"};
  if (const Taint* taint = untolerated(pod.tolerations, node.taints))
    return {Misfit::Tainted, "node(s) had untolerated taint {" + taint->key + ": " + taint->value + "}"};
  if (!selects(pod, node.labels)) return {Misfit::Selection, "node(s) didn't match Pod's node affinity/selector"};
  if (!volumes.allow(node.labels)) return {Misfit::Volume, "node(s) had volume node affinity conflict"};
  if (const auto name = lacking(pod.requests, free); !name.empty())
    return {Misfit::Room, "Insufficient " + std::string(name)};
  return {};
}

}  // namespace reprise::simulator
