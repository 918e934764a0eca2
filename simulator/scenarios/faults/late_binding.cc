#include "simulator/scenarios/faults/late_binding.h"

#include <string>
#include <vector>

#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr Duration longest{6};

}  // namespace

LateBinding::LateBinding(Actors& actors, runtime::Random& random)
    : actors_(actors),
      random_(random),
      timers_(actors.cluster.loop),
      trigger_(actors, [this](const ObjectChange& change) { return inject(change); }) {}

bool LateBinding::inject(const ObjectChange& change) {
  const bool marked_failed = text(*change.object, {"status", "reason"}) == "AttemptEnded" &&
                             text(*change.before, {"status", "reason"}).empty() &&
                             text(*change.object, {"spec", "nodeName"}).empty();
  if (!marked_failed) return false;
  std::vector<std::string> nodes;
  for (const auto& [name, kubelet] : actors_.kubelets.all())
    if (kubelet->speaks() && actors_.view.node(name) != nullptr) nodes.push_back(name);
  const std::string node = pick(random_, nodes);
  if (node.empty()) return false;
  const std::string namespace_(namespace_of(*change.object)), pod(name_of(*change.object));
  timers_.after(between(random_, 0, 1, longest), [this, namespace_, pod, node] {
    if (!actors_.cluster.api.bind(namespace_, pod, node)) return;
    actors_.cluster.log.add("fault", "LateBinding: " + pod + " to " + node);
  });
  return true;
}

}  // namespace reprise::simulator
