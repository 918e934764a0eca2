#include "simulator/actors/node/kubelets.h"

#include <utility>

namespace reprise::simulator {

Kubelets::Kubelets(const World& world, Volumes& volumes, Programs& programs)
    : world_(world), volumes_(volumes), programs_(programs) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

Kubelet& Kubelets::add(MachineShape shape) {
  const std::string name = shape.name;
  auto& kubelet = kubelets_[name];
  kubelet = std::make_unique<Kubelet>(world_, volumes_, programs_, std::move(shape));
  kubelet->on_speech([this, name] {
    for (const auto& changed : speech_) changed(name);
  });
  kubelet->power_on();
  return *kubelet;
}

void Kubelets::remove(const std::string& name) {
  const auto found = kubelets_.find(name);
  if (found == kubelets_.end()) return;
  found->second->power_off();
  kubelets_.erase(found);
}

Kubelet* Kubelets::find(const std::string& name) {
  const auto found = kubelets_.find(name);
  return found == kubelets_.end() ? nullptr : found->second.get();
}

void Kubelets::see(const ObjectChange& change) {
  if (change.resource == world_.kinds.pods) {
    const std::string_view node = text(*change.object, {"spec", "nodeName"});
    if (node.empty()) return;
    // The kubelet's own status writes come back to it as well; they need no look.
    const bool of_kubelet =
        change.change == Change::Modified && change.before && !being_deleted(*change.object) &&
        text(*change.before, {"spec", "nodeName"}) == node &&
        object(*change.before, {"metadata", "annotations"}) == object(*change.object, {"metadata", "annotations"});
    if (of_kubelet) return;
    if (Kubelet* kubelet = find(std::string(node))) kubelet->pod_changed(std::string(uid_of(*change.object)));
  }
  if (change.resource == world_.kinds.nodes && change.change == Change::Modified) {
    if (Kubelet* kubelet = find(std::string(name_of(*change.object)))) kubelet->node_changed(*change.object);
  }
}

}  // namespace reprise::simulator
