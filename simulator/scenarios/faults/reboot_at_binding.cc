#include "simulator/scenarios/faults/reboot_at_binding.h"

#include <string>

namespace reprise::simulator {
namespace {

// Volumes are attached in some seconds; before that nothing of the pod runs.
constexpr double longest = 4'000;

}  // namespace

RebootAtBinding::RebootAtBinding(Actors& actors, runtime::Random& random)
    : actors_(actors),
      random_(random),
      timers_(actors.cluster.loop),
      trigger_(actors, [this](const ObjectChange& change) { return inject(change); }) {}

bool RebootAtBinding::inject(const ObjectChange& change) {
  const std::string node(text(*change.object, {"spec", "nodeName"}));
  if (node.empty() || !text(*change.before, {"spec", "nodeName"}).empty()) return false;
  timers_.after(Duration{static_cast<Duration::rep>(random_.uniform() * longest)}, [this, node] {
    actors_.cluster.log.add("fault", "RebootedAtBinding: " + node);
    actors_.reboot(node);
  });
  return true;
}

}  // namespace reprise::simulator
