#include "simulator/actors/control/attach_detach.h"

namespace reprise::simulator {

AttachDetach::AttachDetach(const World& world, Volumes& volumes, Machines& machines)
    : world_(world), volumes_(volumes), machines_(machines), timers_(world.cluster.loop) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void AttachDetach::see(const ObjectChange& change) {
  if (change.change != Change::Deleted) return;
  if (change.resource == world_.kinds.nodes) {
    timers_.after(kLatency, [this, name = std::string(name_of(*change.object))] {
      if (world_.view.node(name) == nullptr) volumes_.detach_all(name);
    });
  }
  if (change.resource != world_.kinds.pods) return;
  const std::string node(text(*change.object, {"spec", "nodeName"}));
  if (node.empty()) return;
  const Kubelet* kubelet = machines_.find(node);
  if (kubelet != nullptr && kubelet->speaks()) return;
  const NodeFacts* facts = world_.view.node(node);
  const bool out_of_service = facts != nullptr && has_taint(*facts->object, "node.kubernetes.io/out-of-service");
  // A machine that comes back meanwhile unmounts by itself; releasing twice does no harm.
  timers_.after(out_of_service ? kLatency : Volumes::kForceDetach,
                [this, node, uid = std::string(uid_of(*change.object))] {
                  const Kubelet* now = machines_.find(node);
                  if (now == nullptr || !now->runs().contains(uid)) volumes_.release_all(uid);
                });
}

}  // namespace reprise::simulator
