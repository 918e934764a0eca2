#include "simulator/scenarios/faults/node_name_reused.h"

#include <utility>
#include <vector>

#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr double shortest_minutes = 1.5, longest_minutes = 4;

}  // namespace

NodeNameReused::NodeNameReused(Actors& actors, Operators& operators, runtime::Random& random)
    : actors_(actors), operators_(operators), random_(random) {
  subscription_ = actors.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

std::optional<std::string> NodeNameReused::inject() {
  std::vector<std::string> nodes;
  for (const auto& [name, kubelet] : actors_.kubelets.all())
    if (kubelet->on() && !kubelet->runs().empty() && actors_.cloud.of_node(name) != nullptr) nodes.push_back(name);
  const std::string node = pick(random_, nodes);
  if (node.empty()) return std::nullopt;
  name_ = node;
  actors_.provisioner.reuse_name(node);
  actors_.vanish(node);
  return node;
}

void NodeNameReused::end() {
  name_.clear();
  actors_.provisioner.reuse_name({});
}

void NodeNameReused::see(const ObjectChange& change) {
  if (name_.empty() || change.resource != actors_.kinds.nodes || change.change != Change::Deleted) return;
  if (name_of(*change.object) != name_) return;
  name_.clear();
  operators_.hold_watches("/api/v1/nodes?", between(random_, shortest_minutes, longest_minutes, Duration{60'000}));
}

}  // namespace reprise::simulator
