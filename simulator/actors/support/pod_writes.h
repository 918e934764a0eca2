// Writes that several actors make in the same way.
#pragma once

#include <string>
#include <string_view>

#include "simulator/actors/support/cluster_view.h"
#include "simulator/cluster/cluster.h"

namespace reprise::simulator {

// Given to every actor; all of it outlives them.
struct World {
  Cluster& cluster;
  const KindIds& kinds;
  const ClusterView& view;
};

// A core/v1 Event. `involved`: any object; Events about cluster-scoped objects go to the namespace default.
void record_event(const World& world, ResourceId resource, const Value& involved, std::string_view reason,
                  std::string_view message, std::string_view component, std::string_view type = "Normal");
// Condition DisruptionTarget, then the deletion, with the pod's uid as precondition.
void disrupt_pod(const World& world, const PodFacts& pod, std::string_view reason, std::string_view message,
                 std::optional<std::int64_t> grace_seconds = {});
void delete_pod(const World& world, const PodFacts& pod, std::optional<std::int64_t> grace_seconds = {});

}  // namespace reprise::simulator
