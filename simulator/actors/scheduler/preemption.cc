#include "simulator/actors/scheduler/preemption.h"

#include <algorithm>
#include <tuple>

namespace reprise::simulator {
namespace {

// Takes the least important away until the pod fits, then gives back those it need not have taken.
std::optional<std::vector<const PodFacts*>> victims_on(const PodSpecFacts& pod, const VolumeNeeds& volumes,
                                                       const ClusterView& view, const NodeFacts& node) {
  Resources free = view.free_on(node);
  if (fit(pod, volumes, node, free).misfit != Misfit::Room) return std::nullopt;
  std::vector<const PodFacts*> lower;
  for (const PodFacts* each : view.pods_on(node.name))
    if (!each->finished() && each->spec->priority < pod.priority) lower.push_back(each);
  for (const PodFacts* each : lower) add(free, each->spec->requests);
  if (fit(pod, volumes, node, free).misfit != Misfit::None) return std::nullopt;
  std::ranges::stable_sort(lower, [](const PodFacts* a, const PodFacts* b) {
    return std::tuple(-a->spec->priority, a->order) < std::tuple(-b->spec->priority, b->order);
  });
  std::vector<const PodFacts*> victims;
  for (const PodFacts* each : lower) {
    Resources with = free;
    subtract(with, each->spec->requests);
    if (fit(pod, volumes, node, with).misfit == Misfit::None)
      free = std::move(with);
    else
      victims.push_back(each);
  }
  return victims;
}

}  // namespace

std::optional<Preemption> choose_victims(const PodSpecFacts& pod, const VolumeNeeds& volumes, const ClusterView& view) {
  using Cost = std::tuple<std::int64_t, std::size_t, std::string>;
  std::optional<Cost> best;
  std::optional<Preemption> choice;
  for (const auto& [name, node] : view.nodes()) {
    const auto victims = victims_on(pod, volumes, view, node);
    if (!victims) continue;
    std::int64_t highest = std::numeric_limits<std::int64_t>::min();
    for (const PodFacts* each : *victims) highest = std::max(highest, each->spec->priority);
    Cost cost{highest, victims->size(), name};
    if (best && *best <= cost) continue;
    best = std::move(cost);
    choice = Preemption{.node = name, .victims = {}};
    for (const PodFacts* each : *victims) choice->victims.push_back(each->key());
  }
  return choice;
}

}  // namespace reprise::simulator
