#include "simulator/scenarios/faults/kubelet_rejects.h"

#include <array>
#include <utility>
#include <vector>

#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr double share_of_restarts = 0.2;

struct Rejection {
  const char *reason, *message;
};

constexpr std::array rejections{
    Rejection{"UnexpectedAdmissionError",
              "Allocate failed due to no healthy devices present; cannot allocate unhealthy "
              "devices nvidia.com/gpu, which is unexpected"},
    Rejection{"OutOfcpu", "Node didn't have enough resource: cpu, requested: 4000, used: 3000, capacity: 4000"},
    Rejection{"NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"},
    Rejection{"Evicted", "The node had condition: [DiskPressure]. "},
};

const Rejection& some_rejection(runtime::Random& random) {
  return rejections.at(static_cast<std::size_t>(random.uniform() * static_cast<double>(rejections.size())));
}

}  // namespace

KubeletRejects::KubeletRejects(Actors& actors, runtime::Random& random) : actors_(actors), random_(random) {
  subscription_ = actors.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

std::optional<std::string> KubeletRejects::inject() {
  if (random_.uniform() >= share_of_restarts) {
    armed_ = true;
    return std::nullopt;
  }
  std::vector<std::string> nodes;
  for (const auto& [name, kubelet] : actors_.kubelets.all())
    if (kubelet->speaks() && !kubelet->runs().empty()) nodes.push_back(name);
  const std::string node = pick(random_, nodes);
  if (node.empty()) return std::nullopt;
  const Duration down = between(random_, 1, 10, Duration{1'000});
  actors_.kubelets.find(node)->restart_and_reject(down, "NodeAffinity", "Predicate NodeAffinity failed");
  return node;
}

void KubeletRejects::see(const ObjectChange& change) {
  if (!armed_ || change.resource != actors_.kinds.pods || change.change != Change::Modified) return;
  const std::string node(text(*change.object, {"spec", "nodeName"}));
  if (node.empty() || !text(*change.before, {"spec", "nodeName"}).empty()) return;
  if (text(*change.object, {"metadata", "labels", "reprise.dev/attempt"}).empty()) return;
  Kubelet* kubelet = actors_.kubelets.find(node);
  if (kubelet == nullptr) return;
  armed_ = false;
  const Rejection& rejection = some_rejection(random_);
  kubelet->reject(std::string(uid_of(*change.object)), rejection.reason, rejection.message);
}

}  // namespace reprise::simulator
