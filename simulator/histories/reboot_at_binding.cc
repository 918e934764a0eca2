#include "simulator/histories/reboot_at_binding.h"

#include <string>

namespace reprise::simulator {
namespace {

// Volumes are attached in some seconds; before that nothing of the pod runs.
constexpr double longest = 4'000;

}  // namespace

RebootAtBinding::RebootAtBinding(Actors& actors, runtime::Random& random)
    : actors_(actors), random_(random), pods_(actors.cluster.api.resource("", "pods")), timers_(actors.cluster.loop) {
  subscription_ = actors.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void RebootAtBinding::see(const ObjectChange& change) {
  if (!armed_ || change.resource != pods_ || change.change != Change::Modified) return;
  const std::string node(text(*change.object, {"spec", "nodeName"}));
  if (node.empty() || !text(*change.before, {"spec", "nodeName"}).empty()) return;
  armed_ = false;
  timers_.after(Duration{static_cast<Duration::rep>(random_.uniform() * longest)}, [this, node] {
    actors_.cluster.log.add("fault", "RebootedAtBinding: " + node);
    actors_.reboot(node);
  });
}

}  // namespace reprise::simulator
