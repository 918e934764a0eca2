#include "simulator/actors/karpenter/disruption.h"

#include <algorithm>
#include <utility>

#include "simulator/actors/support/conditions.h"

namespace reprise::simulator {

Disruption::Disruption(const World& world)
    : world_(world), drift_(world.cluster.loop, [this] { look_for_drift(); }), timers_(world.cluster.loop) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void Disruption::see(const ObjectChange& change) {
  const KindIds& kinds = world_.kinds;
  if (change.resource == kinds.pods) {
    const std::string node(text(*change.object, {"spec", "nodeName"}));
    if (node.empty()) return;
    const bool bound = change.before && text(*change.before, {"spec", "nodeName"}).empty();
    const bool phase =
        change.before && text(*change.before, {"status", "phase"}) != text(*change.object, {"status", "phase"});
    const bool going = change.before && being_deleted(*change.object) && !being_deleted(*change.before);
    if (bound || phase || going || change.change == Change::Deleted) touched(node);
  }
  if (change.resource == kinds.node_claims && change.change == Change::Modified &&
      is_true(*change.object, "Initialized") && !is_true(*change.before, "Initialized"))
    touched(std::string(name_of(*change.object)));
  if (change.resource == kinds.node_claims && change.change == Change::Deleted) {
    const std::string name(name_of(*change.object));
    timers_.after(Duration{0}, [this, name] {
      considered_.erase(name);
      last_pod_event_.erase(name);
    });
  }
  if (change.resource == kinds.node_pools && change.change == Change::Modified &&
      *find(*change.object, {"spec"}) != *find(*change.before, {"spec"}))
    drift_.within(kLoop);
}

// Counts Consolidatable anew from here.
void Disruption::touched(const std::string& node) {
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.node_claims, "", node});
  if (!claim || being_deleted(*claim)) return;
  last_pod_event_[node] = world_.cluster.loop.now();
  if (!empty(node)) return;
  const auto pool = pool_of(*claim);
  if (!pool || !pool->consolidate_after) return;
  auto& wake = considered_[node];
  if (!wake) wake = std::make_unique<Wake>(world_.cluster.loop, [this, node] { consider(node); });
  wake->cancel();
  wake->within(*pool->consolidate_after +
               std::chrono::duration_cast<Duration>(kLoop * world_.cluster.random.uniform()));
}

// A pod that is being deleted does not count, however long its kubelet has been silent (IsReschedulable).
bool Disruption::empty(const std::string& node) const {
  return std::ranges::none_of(world_.view.pods_on(node),
                              [](const PodFacts* pod) { return !pod->finished() && !pod->deleting; });
}

ObjectPtr Disruption::usable_claim(const std::string& node) const {
  ObjectPtr claim = world_.cluster.api.get({world_.kinds.node_claims, "", node});
  return claim && !being_deleted(*claim) && is_true(*claim, "Initialized") ? claim : nullptr;
}

std::optional<NodePoolFacts> Disruption::pool_of(const Value& claim) const {
  const ObjectPtr pool =
      world_.cluster.api.get({world_.kinds.node_pools, "", text(claim, {"metadata", "labels", kNodePoolLabel})});
  return pool ? std::optional(read_node_pool(pool)) : std::nullopt;
}

bool Disruption::budget_allows(const NodePoolFacts& pool, std::string_view reason) const {
  int total = 0;
  int going = 0;
  for (const ObjectPtr& claim : world_.cluster.api.list(world_.kinds.node_claims)) {
    if (text(*claim, {"metadata", "labels", kNodePoolLabel}) != pool.name || !is_true(*claim, "Initialized")) continue;
    ++total;
    if (being_deleted(*claim)) ++going;
  }
  return going < allowed_disruptions(pool, reason, total);
}

void Disruption::consider(const std::string& node) {
  if (!usable_claim(node) || !empty(node)) return;
  const std::string now = time_text(world_.cluster.loop);
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.node_claims, "", node},
      [&](Value& value) {
        set_condition(value, {"Consolidatable", "True", "Consolidatable"}, now);
      },
      "status"));
  timers_.after(kValidation, [this, name = node] { validate(name); });
}

void Disruption::validate(const std::string& node) {
  const ObjectPtr claim = usable_claim(node);
  if (!claim || !empty(node)) return;
  const auto pool = pool_of(*claim);
  if (!pool || !pool->consolidate_after) return;
  const Duration quiet = world_.cluster.loop.now() - last_pod_event_[node];
  if (quiet < *pool->consolidate_after) return;  // planned anew when it was touched
  if (!budget_allows(*pool, "Empty")) {
    timers_.after(kBlocked, [this, node] { validate(node); });
    return;
  }
  disrupt(*claim, "Empty");
}

void Disruption::look_for_drift() {
  const std::string now = time_text(world_.cluster.loop);
  for (const ObjectPtr& claim : world_.cluster.api.list(world_.kinds.node_claims)) {
    const auto pool = pool_of(*claim);
    if (!pool || being_deleted(*claim)) continue;
    const Labels labels = read_labels(object(*claim, {"metadata", "labels"}));
    Requirements known = pool->requirements;
    // Requirements can be judged only where the claim carries the label.
    std::erase_if(known, [&](const Requirement& each) { return !labels.contains(each.key); });
    const bool drifted =
        text(*claim, {"metadata", "annotations", kHashAnnotation}) != pool->hash || !satisfies(known, labels);
    if (!drifted) continue;
    const std::string name(name_of(*claim));
    static_cast<void>(world_.cluster.api.update(
        {world_.kinds.node_claims, "", name},
        [&](Value& value) {
          set_condition(value, {"Drifted", "True", "NodePoolDrifted"}, now);
        },
        "status"));
    // Without a termination grace period do-not-disrupt keeps the node.
    const bool kept = !pool->termination_grace &&
                      std::ranges::any_of(world_.view.pods_on(name),
                                          [](const PodFacts* pod) { return pod->do_not_disrupt && !pod->finished(); });
    if (!kept && is_true(*claim, "Initialized") && budget_allows(*pool, "Drifted")) disrupt(*claim, "Drifted");
  }
}

void Disruption::disrupt(const Value& claim, std::string_view reason) {
  const std::string name(name_of(claim));
  const std::string uid(uid_of(claim));
  const std::string now = time_text(world_.cluster.loop);
  world_.cluster.log.add("karpenter", "disrupts " + name + ": " + std::string(reason));
  static_cast<void>(world_.cluster.api.update({world_.kinds.nodes, "", name}, [&](Value& value) {
    add_taint(value, {std::string(kDisruptedTaint), {}, "NoSchedule"}, now);
  }));
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.node_claims, "", name},
      [&](Value& value) {
        set_condition(value, {"DisruptionReason", "True", reason}, now);
      },
      "status"));
  static_cast<void>(world_.cluster.api.remove({world_.kinds.node_claims, "", name}, {.uid = uid}));
}

}  // namespace reprise::simulator
