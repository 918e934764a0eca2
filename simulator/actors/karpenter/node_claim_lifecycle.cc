#include "simulator/actors/karpenter/node_claim_lifecycle.h"

#include <algorithm>
#include <utility>

#include "simulator/actors/karpenter/plan_node_claims.h"
#include "simulator/actors/support/conditions.h"
#include "simulator/actors/support/finalizers.h"

namespace reprise::simulator {
namespace {

struct Missing {
  std::string_view reason;
  std::string message;
};

// The reason that keeps a registered node from being called initialised.
std::optional<Missing> missing(const Value& claim, const NodeFacts& node) {
  if (!node.ready) return Missing{"NodeNotReady", "Node status is NotReady"};
  for (const Taint& startup : read_taints(array(claim, {"spec", "startupTaints"})))
    for (const Taint& taint : node.taints)
      if (taint.key == startup.key && taint.effect == startup.effect)
        return Missing{"StartupTaintsExist", "StartupTaint \"" + taint.key + "\" still exists"};
  for (const Taint& taint : node.taints)
    if (taint.key == "node.kubernetes.io/not-ready" || taint.key == "node.kubernetes.io/unreachable")
      return Missing{"KnownEphemeralTaintsExist", "KnownEphemeralTaint \"" + taint.key + "\" still exists"};
  for (const auto& [name, value] : read_resources(object(claim, {"spec", "resources", "requests"})))
    if (value > 0 && amount(node.allocatable, name) == 0)
      return Missing{"ResourceNotRegistered", "Resource \"" + name + "\" was requested but not registered"};
  return std::nullopt;
}

}  // namespace

NodeClaimLifecycle::NodeClaimLifecycle(const World& world, Cloud& cloud, UnavailableOfferings& unavailable)
    : world_(world), cloud_(cloud), unavailable_(unavailable), timers_(world.cluster.loop) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void NodeClaimLifecycle::see(const ObjectChange& change) {
  if (change.resource == world_.kinds.node_claims && change.change == Change::Added) {
    const std::string name(name_of(*change.object));
    timers_.after(jittered(world_.cluster.random, kLaunch, 0.4), [this, name] { launch(name); });
    timers_.after(kLaunchDeadline, [this, name] { give_up(name, "Launched"); });
    timers_.after(kRegistrationDeadline, [this, name] { give_up(name, "Registered"); });
  }
  if (change.resource == world_.kinds.nodes && change.change != Change::Deleted) {
    // A machine carries its claim's name.
    const std::string name(name_of(*change.object));
    if (text(*change.object, {"metadata", "labels", "karpenter.sh/initialized"}) == "true") return;
    timers_.after(kLatency, [this, name] { look(name); });
  }
}

void NodeClaimLifecycle::launch(const std::string& name) {
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.node_claims, "", name});
  if (!claim || being_deleted(*claim) || is_true(*claim, "Launched")) return;
  const ObjectPtr pool_object =
      world_.cluster.api.get({world_.kinds.node_pools, "", text(*claim, {"metadata", "labels", kNodePoolLabel})});
  if (!pool_object) return;
  const NodePoolFacts pool = read_node_pool(pool_object);
  const Requirements requirements = read_requirements(array(*claim, {"spec", "requirements"}));
  const Resources requests = read_resources(object(*claim, {"spec", "resources", "requests"}));
  const Duration now = world_.cluster.loop.now();
  std::vector<Offering> options;
  for (const Offering& each : cloud_.offerings())
    if (satisfies(requirements, pool, each) && !unavailable_.contains(each, now) &&
        lacking(requests, believed_capacity(world_, pool, each)).empty())
      options.push_back(each);
  sort_by_price(options);
  for (const Offering& option : options) {
    MachineShape shape{
        .name = name, .provider_id = {}, .labels = labels_of(pool, option), .taints = {}, .capacity = {}};
    shape.taints = read_taints(array(*claim, {"spec", "taints"}));
    for (const Taint& each : read_taints(array(*claim, {"spec", "startupTaints"}))) shape.taints.push_back(each);
    shape.taints.push_back({std::string(kUnregisteredTaint), {}, "NoExecute"});
    if (const Instance* instance = cloud_.launch(option, std::move(shape))) {
      launched(*claim, pool, *instance);
      return;
    }
    unavailable_.add(option, now);
  }
  insufficient_capacity(*claim);
}

void NodeClaimLifecycle::launched(const Value& claim, const NodePoolFacts& pool, const Instance& instance) {
  const ObjectAddress address{world_.kinds.node_claims, "", instance.node};
  const Labels labels = labels_of(pool, instance.offering);
  const Resources capacity = believed_capacity(world_, pool, instance.offering);
  const std::string id = instance.id;
  static_cast<void>(claim);
  static_cast<void>(world_.cluster.api.update(address, [&](Value& value) {
    for (const auto& [key, label] : labels) set(value, {"metadata", "labels", key}, Value(label));
  }));
  const std::string now = time_text(world_.cluster.loop);
  static_cast<void>(world_.cluster.api.update(
      address,
      [&](Value& value) {
        set(value, {"status", "providerID"}, Value(id));
        set(value, {"status", "capacity"}, write_resources(capacity));
        set(value, {"status", "allocatable"}, write_resources(capacity));
        set_condition(value, {"Launched", "True", "Launched"}, now);
        set_condition(value, {"Registered", "Unknown", "NodeNotFound", "Node not registered with cluster"}, now);
        set_condition(value, {"Initialized", "Unknown", "AwaitingReconciliation"}, now);
        set_condition(value, {"Ready", "Unknown", "ReconcilingDependents"}, now);
      },
      "status"));
}

// Deletes the claim, since no offering has capacity, and plans for its pods anew.
void NodeClaimLifecycle::insufficient_capacity(const Value& claim) {
  const std::string name(name_of(claim));
  const std::string uid(uid_of(claim));
  world_.cluster.log.add("karpenter", "no capacity for " + name);
  record_event(world_, world_.kinds.node_claims, claim, "InsufficientCapacityError",
               "NodeClaim " + name + " event: all requested instance types were unavailable during launch", kKarpenter,
               "Warning");
  static_cast<void>(world_.cluster.api.remove({world_.kinds.node_claims, "", name}, {.uid = uid}));
}

void NodeClaimLifecycle::look(const std::string& name) {
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.node_claims, "", name});
  const NodeFacts* node = world_.view.node(name);
  if (!claim || node == nullptr || being_deleted(*claim) || !is_true(*claim, "Launched")) return;
  if (node->provider_id != text(*claim, {"status", "providerID"})) return;
  if (!is_true(*claim, "Registered"))
    register_node(*claim, *node);
  else
    initialize(*claim, *node);
}

void NodeClaimLifecycle::register_node(const Value& claim, const NodeFacts& node) {
  const std::string name = node.name;
  const Labels labels = read_labels(object(claim, {"metadata", "labels"}));
  const std::string now = time_text(world_.cluster.loop);
  static_cast<void>(world_.cluster.api.update({world_.kinds.nodes, "", name}, [&](Value& value) {
    for (const auto& [key, label] : labels) set(value, {"metadata", "labels", key}, Value(label));
    set(value, {"metadata", "labels", "karpenter.sh/registered"}, "true");
    remove_taint(value, kUnregisteredTaint);
    if (!has_finalizer(value, kTermination)) {
      JsonArray finalizers = array(value, {"metadata", "finalizers"});
      finalizers.emplace_back(kTermination);
      set(value, {"metadata", "finalizers"}, std::move(finalizers));
    }
    JsonArray owners;
    owners.push_back(JsonObject{{"apiVersion", "karpenter.sh/v1"},
                                {"kind", "NodeClaim"},
                                {"name", name_of(claim)},
                                {"uid", uid_of(claim)},
                                {"blockOwnerDeletion", true}});
    set(value, {"metadata", "ownerReferences"}, std::move(owners));
  }));
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.node_claims, "", name},
      [&](Value& value) {
        set(value, {"status", "nodeName"}, Value(name));
        set_condition(value, {"Registered", "True", "Registered"}, now);
        set_condition(value, {"Initialized", "Unknown", "NodeNotReady", "Node status is NotReady"}, now);
      },
      "status"));
}

void NodeClaimLifecycle::initialize(const Value& claim, const NodeFacts& node) {
  const std::string name = node.name;
  const auto lacks = missing(claim, node);
  const std::string now = time_text(world_.cluster.loop);
  if (!lacks) {
    world_.cluster.log.add("karpenter", name + " is initialised");
    static_cast<void>(world_.cluster.api.update({world_.kinds.nodes, "", name}, [&](Value& value) {
      set(value, {"metadata", "labels", "karpenter.sh/initialized"}, "true");
    }));
  }
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.node_claims, "", name},
      [&](Value& value) {
        if (lacks) {
          set_condition(value, {"Initialized", "Unknown", lacks->reason, lacks->message}, now);
          return;
        }
        set_condition(value, {"Initialized", "True", "Initialized"}, now);
        set_condition(value, {"Ready", "True", "Ready"}, now);
      },
      "status"));
}

void NodeClaimLifecycle::give_up(const std::string& name, const char* condition) {
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.node_claims, "", name});
  if (!claim || being_deleted(*claim) || is_true(*claim, condition)) return;
  world_.cluster.log.add("karpenter", "gives up " + name + ": not " + condition);
  const std::string uid(uid_of(*claim));
  static_cast<void>(world_.cluster.api.remove({world_.kinds.node_claims, "", name}, {.uid = uid}));
}

}  // namespace reprise::simulator
