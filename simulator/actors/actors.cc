#include "simulator/actors/actors.h"

#include <ranges>
#include <utility>

#include "simulator/actors/support/conditions.h"

namespace reprise::simulator {

Actors::Actors(Cluster& its_cluster, const SpotMarket& market, ActorSettings settings)
    : cluster(its_cluster),
      kinds(cluster.api),
      view(cluster, kinds),
      volumes(cluster),
      volume_attachments(world, volumes),
      programs(world, volumes),
      kubelets(world, volumes, settings.programs != nullptr ? *settings.programs : programs),
      scheduler(world),
      claims(world, volumes, settings.cloud.zones),
      attach_detach(world, volumes, kubelets),
      node_lifecycle(world, kubelets),
      taint_eviction(world),
      pod_gc(world),
      owner_gc(world),
      cloud(world, kubelets, market, std::move(settings.cloud)),
      provisioner(world, cloud, unavailable),
      node_claim_lifecycle(world, cloud, unavailable),
      termination(world, cloud),
      disruption(world),
      interruption(world, unavailable),
      pool_status(world) {
  cloud.on_notice([this](const Instance& instance) { interruption.notice(instance); });
  cloud.on_gone([this](const Instance& instance) { termination.instance_gone(instance); });
  cloud.on_market([this] { provisioner.trigger(); });
}

void Actors::add_machine(MachineShape shape) {
  kubelets.add(std::move(shape));
}

void Actors::power_loss(const std::string& node) {
  if (Kubelet* kubelet = kubelets.find(node)) kubelet->power_off();
}

void Actors::reboot(const std::string& node) {
  Kubelet* kubelet = kubelets.find(node);
  if (kubelet == nullptr) return;
  kubelet->power_off();
  kubelet->power_on();
}

void Actors::silence(const std::string& node, bool silent) {
  if (Kubelet* kubelet = kubelets.find(node)) kubelet->silence(silent);
}

void Actors::stand_still(const std::string& node, bool still) {
  if (Kubelet* kubelet = kubelets.find(node)) kubelet->stand_still(still);
}

void Actors::restart_kubelet(const std::string& node, Duration down) {
  if (Kubelet* kubelet = kubelets.find(node)) kubelet->restart(down);
}

void Actors::interrupt(const std::string& node, Duration notice, bool noticed) {
  if (const Instance* instance = cloud.of_node(node)) cloud.interrupt(instance->id, notice, noticed);
}

void Actors::recommend_rebalance(const std::string& node) {
  interruption.rebalance(node);
}

void Actors::vanish(const std::string& node) {
  interrupt(node, Duration{0}, false);
}

void Actors::force_delete_pod(const std::string& namespace_, const std::string& pod) {
  static_cast<void>(cluster.api.remove({kinds.pods, namespace_, pod}, {.grace_seconds = 0}));
}

void Actors::delete_node_object(const std::string& node, bool force) {
  if (force)
    static_cast<void>(cluster.api.update({kinds.nodes, "", node}, [](Value& value) {
      unset(value, {"metadata", "finalizers"});
    }));
  static_cast<void>(cluster.api.remove({kinds.nodes, "", node}));
}

void Actors::delete_node_claim(const std::string& name) {
  static_cast<void>(cluster.api.remove({kinds.node_claims, "", name}));
}

void Actors::out_of_service(const std::string& node) {
  const std::string now = time_text(cluster.loop);
  static_cast<void>(cluster.api.update({kinds.nodes, "", node}, [&](Value& value) {
    add_taint(value, {"node.kubernetes.io/out-of-service", "nodeshutdown", "NoExecute"}, now);
  }));
}

bool Actors::tear_checkpoint(const std::string& volume) {
  Disk* disk = volumes.disk(volume);
  if (disk == nullptr) return false;
  const auto newest = disk->newest_complete();
  if (!newest) return false;
  disk->checkpoints[*newest].tear();
  cluster.log.add("fault", "tears checkpoint " + std::to_string(*newest) + " on " + volume);
  return true;
}

std::string Actors::volume_of(const std::string& namespace_, const std::string& claim) const {
  const ObjectPtr found = cluster.api.get({kinds.claims, namespace_, claim});
  return found ? std::string(text(*found, {"spec", "volumeName"})) : std::string();
}

std::unique_ptr<Actors> make_actors(Cluster& cluster, const SpotMarket& market, ActorSettings settings) {
  return std::make_unique<Actors>(cluster, market, std::move(settings));
}

}  // namespace reprise::simulator
