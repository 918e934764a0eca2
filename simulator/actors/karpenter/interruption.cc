#include "simulator/actors/karpenter/interruption.h"

#include "simulator/actors/support/conditions.h"

namespace reprise::simulator {
namespace {

constexpr Duration kPoolLatency{500};

}  // namespace

void Interruption::notice(const Instance& instance) {
  timers_.after(jittered(world_.cluster.random, kQueue, 0.5),
                [this, node = instance.node, offering = instance.offering] { act(node, offering); });
}

void Interruption::rebalance(const std::string& node) {
  tell(node, "SpotRebalanceRecommendation", "Spot rebalance recommendation was triggered", "Normal");
}

void Interruption::tell(const std::string& node, std::string_view reason, std::string_view message,
                        std::string_view type) {
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.node_claims, "", node});
  if (claim) record_event(world_, world_.kinds.node_claims, *claim, reason, message, kKarpenter, type);
  const ObjectPtr object = world_.cluster.api.get({world_.kinds.nodes, "", node});
  if (object) record_event(world_, world_.kinds.nodes, *object, reason, message, kKarpenter, type);
}

void Interruption::act(const std::string& node, const Offering& offering) {
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.node_claims, "", node});
  if (!claim) return;
  unavailable_.add(offering, world_.cluster.loop.now());
  tell(node, "SpotInterrupted", "Spot interruption warning was triggered", "Warning");
  if (being_deleted(*claim)) return;
  tell(node, "TerminatingOnInterruption", "Interruption triggered termination for the NodeClaim", "Warning");
  const std::string uid(uid_of(*claim));
  static_cast<void>(world_.cluster.api.remove({world_.kinds.node_claims, "", node}, {.uid = uid}));
}

PoolStatus::PoolStatus(const World& world) : world_(world), timers_(world.cluster.loop) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void PoolStatus::see(const ObjectChange& change) {
  const bool pool = change.resource == world_.kinds.node_pools;
  if ((!pool && change.resource != world_.kinds.node_overlays) || change.change != Change::Added) return;
  timers_.after(kPoolLatency, [this, resource = change.resource, pool, name = std::string(name_of(*change.object))] {
    const std::string now = time_text(world_.cluster.loop);
    static_cast<void>(world_.cluster.api.update(
        {resource, "", name},
        [&](Value& value) {
          set_condition(value, {"ValidationSucceeded", "True", "ValidationSucceeded"}, now);
          if (pool) set_condition(value, {"NodeClassReady", "True", "NodeClassReady"}, now);
          set_condition(value, {"Ready", "True", "Ready"}, now);
        },
        "status"));
  });
}

}  // namespace reprise::simulator
