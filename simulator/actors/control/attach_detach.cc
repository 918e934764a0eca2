#include "simulator/actors/control/attach_detach.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";

}  // namespace

AttachDetach::AttachDetach(const World& world, Volumes& volumes, Kubelets& kubelets)
    : world_(world), volumes_(volumes), kubelets_(kubelets), timers_(world.cluster.loop) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
  kubelets.on_speech([this](const std::string&) {
    if (!leaving_.empty()) timers_.after(kLatency, [this] { settle(); });
  });
}

void AttachDetach::see(const ObjectChange& change) {
  if (change.resource == world_.kinds.nodes && change.change == Change::Modified &&
      has_taint(*change.object, kOutOfService)) {
    for (const auto& [uid, pod] : leaving_)
      if (pod.node == name_of(*change.object)) force_after(kLatency, uid);
  }
  if (change.resource != world_.kinds.pods || change.change != Change::Deleted) return;
  const std::string node(text(*change.object, {"spec", "nodeName"}));
  const std::string uid(uid_of(*change.object));
  if (node.empty() || !volumes_.held_by(uid)) return;
  leaving_[uid] = {node};
  const NodeFacts* facts = world_.view.node(node);
  const bool out_of_service = facts != nullptr && has_taint(*facts->object, kOutOfService);
  force_after(out_of_service ? kLatency : Volumes::kForceDetach, uid);
}

void AttachDetach::force_after(Duration delay, const std::string& pod_uid) {
  timers_.after(delay, [this, pod_uid] {
    if (const auto pod = leaving_.find(pod_uid); pod != leaving_.end()) pod->second.by_force = true;
    settle();
  });
}

// A running pod keeps its volumes mounted: no block store detaches them. It gives them back when it ends, or when its
// machine does.
void AttachDetach::settle() {
  std::vector<std::string> given_up;
  for (const auto& [uid, pod] : leaving_) {
    const Kubelet* kubelet = kubelets_.find(pod.node);
    const bool runs = kubelet != nullptr && kubelet->runs().contains(uid);
    if (!volumes_.held_by(uid) || (pod.by_force && !runs)) given_up.push_back(uid);
  }
  for (const std::string& uid : given_up) {
    leaving_.erase(uid);
    volumes_.release_all(uid);
  }
}

}  // namespace reprise::simulator
