#include "simulator/actors/karpenter/provisioner.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "simulator/actors/support/conditions.h"

namespace reprise::simulator {
namespace {

// Taints of a node that is still starting: they are expected to go.
bool passes(const Taint& taint, const Taints& startup) {
  if (taint.key == kUnregisteredTaint || taint.key == "node.kubernetes.io/not-ready" ||
      taint.key == "node.kubernetes.io/unreachable")
    return true;
  return std::ranges::any_of(startup, [&](const Taint& each) { return each.key == taint.key; });
}

std::string random_suffix(runtime::Random& random) {
  static constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  std::string out;
  for (int i = 0; i < 5; ++i)
    out += letters[static_cast<std::size_t>(random.uniform() * static_cast<double>(letters.size()))];
  return out;
}

Value in(std::string_view key, const std::set<std::string>& values) {
  JsonArray list;
  for (const std::string& each : values) list.emplace_back(each);
  JsonObject out{{"key", key}, {"operator", "In"}};
  out["values"] = std::move(list);
  return out;
}

}  // namespace

Provisioner::Provisioner(const World& world, Cloud& cloud, UnavailableOfferings& unavailable)
    : world_(world),
      cloud_(cloud),
      unavailable_(unavailable),
      wake_(world.cluster.loop, [this] { provision(); }),
      retry_(world.cluster.loop, [this] { trigger(); }) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
  trigger();
}

void Provisioner::see(const ObjectChange& change) {
  const KindIds& kinds = world_.kinds;
  if (change.resource == kinds.pods && change.change == Change::Modified) {
    const PodFacts* pod =
        world_.view.pod(std::string(namespace_of(*change.object)) + "/" + std::string(name_of(*change.object)));
    if (pod != nullptr && pod->unschedulable && !pod->deleting) trigger();
  }
  const bool claim_goes =
      change.resource == kinds.node_claims &&
      (change.change == Change::Deleted ||
       (change.change == Change::Modified && being_deleted(*change.object) && !being_deleted(*change.before)));
  const bool pool_changed =
      (change.resource == kinds.node_pools || change.resource == kinds.node_overlays) &&
      (change.change != Change::Modified || *find(*change.object, {"spec"}) != *find(*change.before, {"spec"}));
  if (claim_goes || pool_changed) trigger();
}

void Provisioner::trigger() {
  const Duration now = world_.cluster.loop.now();
  if (!batch_began_) batch_began_ = now;
  wake_.cancel();
  wake_.within(std::min(now + kIdle, *batch_began_ + kMax) - now);
}

std::vector<const PodFacts*> Provisioner::waiting_pods() const {
  std::vector<const PodFacts*> pods;
  for (const auto& [key, pod] : world_.view.pods()) {
    if (pod.deleting || pod.finished()) continue;
    if (pod.unschedulable && pod.nominated_node.empty()) pods.push_back(&pod);
    // A pod on a machine that goes will need another, unless it may not be moved (IsCurrentlyReschedulable).
    const NodeFacts* node = pod.node.empty() ? nullptr : world_.view.node(pod.node);
    const bool leaves = node != nullptr && node->deleting && node->labels.contains(kNodePoolLabel);
    if (leaves && !pod.do_not_disrupt) pods.push_back(&pod);
  }
  std::ranges::sort(pods, [](const PodFacts* a, const PodFacts* b) { return a->order < b->order; });
  return pods;
}

std::vector<Room> Provisioner::rooms(const std::vector<ObjectPtr>& claims) const {
  std::vector<Room> out;
  std::set<std::string> of_claims;
  for (const ObjectPtr& claim : claims) {
    const NodeFacts* node = world_.view.node(std::string(text(*claim, {"status", "nodeName"})));
    if (node == nullptr) node = world_.view.node(std::string(name_of(*claim)));
    if (node != nullptr) of_claims.insert(node->name);
    if (being_deleted(*claim) || (node != nullptr && node->deleting)) continue;
    const Taints startup = read_taints(array(*claim, {"spec", "startupTaints"}));
    Room room;
    room.labels = read_labels(object(*claim, {"metadata", "labels"}));
    for (const Taint& each : read_taints(array(*claim, {"spec", "taints"}))) room.taints.push_back(each);
    room.free = read_resources(object(*claim, {"status", "capacity"}));
    if (const auto planned = planned_.find(std::string(name_of(*claim)));
        room.free.empty() && planned != planned_.end())
      room.free = planned->second;
    if (node != nullptr) {
      room.labels = node->labels;
      room.taints.clear();
      for (const Taint& each : node->taints)
        if (!passes(each, startup)) room.taints.push_back(each);
      if (is_true(*claim, "Initialized")) room.free = node->allocatable;
      for (const PodFacts* pod : world_.view.pods_on(node->name))
        if (!pod->finished()) subtract(room.free, pod->spec->requests);
    }
    out.push_back(std::move(room));
  }
  for (const auto& [name, node] : world_.view.nodes())
    if (!of_claims.contains(name) && !node.unschedulable && !node.deleting)
      out.push_back({.labels = node.labels, .taints = node.taints, .free = world_.view.free_on(node)});
  return out;
}

void Provisioner::provision() {
  batch_began_.reset();
  const Duration now = world_.cluster.loop.now();
  PlanQuestion question;
  question.pods = waiting_pods();
  if (question.pods.empty()) return;
  question.pools = node_pools(world_);
  const std::vector<ObjectPtr> claims = world_.cluster.api.list(world_.kinds.node_claims);
  std::erase_if(planned_, [&](const auto& each) {
    return std::ranges::none_of(claims, [&](const ObjectPtr& claim) { return name_of(*claim) == each.first; });
  });
  question.rooms = rooms(claims);
  for (const NodePoolFacts& pool : question.pools) {
    Resources usage;
    for (const ObjectPtr& claim : claims) {
      // A machine that goes does not count any more: limits are soft during a replacement.
      if (being_deleted(*claim) || text(*claim, {"metadata", "labels", kNodePoolLabel}) != pool.name) continue;
      Resources capacity = read_resources(object(*claim, {"status", "capacity"}));
      if (const auto planned = planned_.find(std::string(name_of(*claim)));
          capacity.empty() && planned != planned_.end())
        capacity = planned->second;
      add(usage, capacity);
      usage["nodes"] += 1000;
    }
    question.pool_usage.push_back(std::move(usage));
  }
  for (const Offering& each : cloud_.offerings())
    if (!unavailable_.contains(each, now)) question.offerings.push_back(each);
  const NodeClaimPlan plan = plan_node_claims(world_, std::move(question));
  for (const PlannedClaim& each : plan.claims) create(each);
  if (plan.unplaced.empty()) return;
  if (const auto end = unavailable_.next_end(now)) retry_.within(*end - now + Duration{1});
}

std::string Provisioner::name_for(const PlannedClaim& planned) {
  std::string name = planned.pool.name + "-" + random_suffix(world_.cluster.random);
  const bool free = !name_to_reuse_.empty() && name_to_reuse_.size() == name.size() &&
                    name_to_reuse_.starts_with(planned.pool.name + "-") &&
                    !world_.cluster.api.get({world_.kinds.node_claims, "", name_to_reuse_}) &&
                    !world_.cluster.api.get({world_.kinds.nodes, "", name_to_reuse_});
  return free ? std::exchange(name_to_reuse_, {}) : name;
}

void Provisioner::create(const PlannedClaim& planned) {
  const std::string name = name_for(planned);
  std::set<std::string> types;
  std::set<std::string> zones;
  std::set<std::string> capacity_types;
  for (const Offering& each : planned.options) {
    types.insert(each.type->name);
    zones.insert(each.zone);
    capacity_types.insert(each.capacity_type);
  }
  JsonArray requirements;
  for (const Value& each : array(*planned.pool.object, {"spec", "template", "spec", "requirements"})) {
    const std::string_view key = text(each, {"key"});
    if (key != kTypeLabel && key != kZoneLabel && key != kCapacityTypeLabel) requirements.push_back(each);
  }
  requirements.push_back(in(kTypeLabel, types));
  requirements.push_back(in(kZoneLabel, zones));
  requirements.push_back(in(kCapacityTypeLabel, capacity_types));
  requirements.push_back(in(kNodePoolLabel, {planned.pool.name}));
  JsonObject annotations = object(*planned.pool.object, {"spec", "template", "metadata", "annotations"});
  annotations[kHashAnnotation] = planned.pool.hash;

  Value claim;
  set(claim, {"apiVersion"}, "karpenter.sh/v1");
  set(claim, {"kind"}, "NodeClaim");
  set(claim, {"metadata", "name"}, Value(name));
  set(claim, {"metadata", "labels"}, write_labels(planned.pool.labels));
  set(claim, {"metadata", "annotations"}, std::move(annotations));
  JsonArray finalizers;
  finalizers.emplace_back(kTermination);
  set(claim, {"metadata", "finalizers"}, std::move(finalizers));
  JsonArray owners;
  owners.push_back(JsonObject{{"apiVersion", "karpenter.sh/v1"},
                              {"kind", "NodePool"},
                              {"name", planned.pool.name},
                              {"uid", planned.pool.uid},
                              {"blockOwnerDeletion", true}});
  set(claim, {"metadata", "ownerReferences"}, std::move(owners));
  set(claim, {"spec", "requirements"}, std::move(requirements));
  set(claim, {"spec", "resources", "requests"}, write_resources(planned.requests));
  for (const char* part : {"nodeClassRef", "taints", "startupTaints", "expireAfter", "terminationGracePeriod"})
    if (const Value* from = find(*planned.pool.object, {"spec", "template", "spec", part}))
      set(claim, {"spec", part}, *from);
  planned_[name] = believed_capacity(world_, planned.pool, planned.options.front());
  world_.cluster.log.add("karpenter", "creates NodeClaim " + name + " for " + std::to_string(planned.pods.size()) +
                                          " pods, first " + planned.pods.front());
  static_cast<void>(world_.cluster.api.create(world_.kinds.node_claims, std::move(claim)));
}

}  // namespace reprise::simulator
