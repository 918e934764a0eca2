#include "simulator/actors/storage/claims.h"

#include <algorithm>
#include <utility>

#include "simulator/actors/storage/volume_attachments.h"
#include "simulator/actors/storage/volume_needs.h"
#include "simulator/actors/support/finalizers.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kProtection = "kubernetes.io/pvc-protection";
constexpr std::string_view kVolumeProtection = "kubernetes.io/pv-protection";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

bool for_many(const Value& claim) {
  return std::ranges::any_of(array(claim, {"spec", "accessModes"}), [](const Value& each) {
    return each.is_string() && (each.get_string() == "ReadWriteMany" || each.get_string() == "ReadOnlyMany");
  });
}

}  // namespace

ClaimController::ClaimController(const World& world, Volumes& volumes, std::vector<std::string> zones)
    : world_(world), volumes_(volumes), zones_(std::move(zones)), timers_(world.cluster.loop) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void ClaimController::see(const ObjectChange& change) {
  if (change.resource == world_.kinds.claims) {
    const Value& claim = *change.object;
    const std::string namespace_(namespace_of(claim));
    const std::string name(name_of(claim));
    if (change.change == Change::Deleted) {
      timers_.after(kLatency, [this, volume = std::string(text(claim, {"spec", "volumeName"}))] { reclaim(volume); });
    } else if (being_deleted(claim)) {
      timers_.after(kLatency, [this, namespace_, name] { protect(namespace_, name); });
    } else if (text(claim, {"status", "phase"}) != "Bound") {
      timers_.after(kLatency, [this, namespace_, name] { bind(namespace_, name); });
    }
  }
  if (change.resource == world_.kinds.volume_attachments && change.change == Change::Deleted)
    timers_.after(kLatency, [this, volume = std::string(volume_of_attachment(*change.object))] { reclaim(volume); });
  if (change.resource == world_.kinds.pods && change.change == Change::Deleted) {
    for (const Value& each : array(*change.object, {"spec", "volumes"})) {
      const auto name = text(each, {"persistentVolumeClaim", "claimName"});
      if (name.empty()) continue;
      timers_.after(kLatency, [this, namespace_ = std::string(namespace_of(*change.object)),
                               claim = std::string(name)] { protect(namespace_, claim); });
    }
  }
}

std::string ClaimController::zone_for(const Value& claim) const {
  const std::string_view chosen = text(claim, {"metadata", "annotations", kSelectedNode});
  if (const NodeFacts* node = world_.view.node(std::string(chosen)))
    if (const auto zone = node->labels.find(kZone); zone != node->labels.end()) return zone->second;
  if (zones_.empty()) return {};
  return zones_[static_cast<std::size_t>(world_.cluster.random.uniform() * static_cast<double>(zones_.size()))];
}

void ClaimController::bind(const std::string& namespace_, const std::string& name) {
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.claims, namespace_, name});
  if (!claim || being_deleted(*claim) || text(*claim, {"status", "phase"}) == "Bound") return;
  const bool chosen = !text(*claim, {"metadata", "annotations", kSelectedNode}).empty();
  if (waits_for_consumer(world_, *claim) && !chosen) return;
  // volumeName names an existing volume, or one that is being provisioned.
  if (const auto volume = text(*claim, {"spec", "volumeName"}); !volume.empty()) {
    const ObjectPtr found = world_.cluster.api.get({world_.kinds.volumes, "", volume});
    if (!found) return;
    static_cast<void>(world_.cluster.api.update(
        {world_.kinds.claims, namespace_, name},
        [&](Value& bound) {
          set(bound, {"status", "phase"}, "Bound");
          set(bound, {"status", "accessModes"}, array(*claim, {"spec", "accessModes"}));
          set(bound, {"status", "capacity"}, object(*claim, {"spec", "resources", "requests"}));
        },
        "status"));
    return;
  }
  const bool shared = for_many(*claim);
  const std::string zone = shared ? std::string() : zone_for(*claim);
  const Duration takes = shared ? kLatency : jittered(world_.cluster.random, kProvision, 0.5);
  timers_.after(takes, [this, namespace_, name, zone, shared] {
    const ObjectPtr still = world_.cluster.api.get({world_.kinds.claims, namespace_, name});
    if (still && !being_deleted(*still) && text(*still, {"spec", "volumeName"}).empty())
      provision(*still, zone, shared);
  });
}

void ClaimController::provision(const Value& claim, const std::string& zone, bool shared) {
  const std::string volume = "pvc-" + std::string(uid_of(claim));
  const ObjectPtr storage_class =
      world_.cluster.api.get({world_.kinds.storage_classes, "", text(claim, {"spec", "storageClassName"})});
  const std::string_view policy = storage_class ? text(*storage_class, {"reclaimPolicy"}) : std::string_view{};
  const std::string_view driver = storage_class ? text(*storage_class, {"provisioner"}) : std::string_view{};
  JsonObject spec{{"capacity", object(claim, {"spec", "resources", "requests"})},
                  {"accessModes", array(claim, {"spec", "accessModes"})},
                  {"persistentVolumeReclaimPolicy", policy.empty() ? "Delete" : policy},
                  {"storageClassName", text(claim, {"spec", "storageClassName"})}};
  spec["claimRef"] = JsonObject{{"kind", "PersistentVolumeClaim"},
                                {"namespace", namespace_of(claim)},
                                {"name", name_of(claim)},
                                {"uid", uid_of(claim)}};
  spec["csi"] = JsonObject{{"driver", driver.empty() ? "simulated.csi.example.com" : driver}, {"volumeHandle", volume}};
  if (!zone.empty()) {
    JsonArray values;
    values.emplace_back(zone);
    JsonObject expression{{"key", kZone}, {"operator", "In"}};
    expression["values"] = std::move(values);
    Value affinity;
    JsonArray expressions;
    expressions.emplace_back(std::move(expression));
    JsonObject term;
    term["matchExpressions"] = std::move(expressions);
    JsonArray terms;
    terms.emplace_back(std::move(term));
    set(affinity, {"required", "nodeSelectorTerms"}, std::move(terms));
    spec["nodeAffinity"] = std::move(affinity);
  }
  JsonObject metadata{{"name", volume}};
  JsonObject made{{"apiVersion", "v1"}, {"kind", "PersistentVolume"}};
  made["metadata"] = std::move(metadata);
  made["spec"] = std::move(spec);
  if (!world_.cluster.api.create(world_.kinds.volumes, std::move(made))) return;
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.volumes, "", volume},
      [](Value& object) {
        set(object, {"status", "phase"}, "Bound");
      },
      "status"));
  volumes_.make(volume, zone, shared, name_of(claim));
  world_.cluster.log.add(
      "storage", "made " + volume + (zone.empty() ? "" : " in " + zone) + " for claim " + std::string(name_of(claim)));
  // Its change brings the binding.
  static_cast<void>(
      world_.cluster.api.update({world_.kinds.claims, namespace_of(claim), name_of(claim)}, [&](Value& object) {
        set(object, {"spec", "volumeName"}, Value(volume));
      }));
}

// A claim that is being deleted stays for as long as a scheduled pod mounts it.
void ClaimController::protect(const std::string& namespace_, const std::string& name) {
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.claims, namespace_, name});
  if (!claim || !being_deleted(*claim)) return;
  const auto users = world_.view.users_of_claim(namespace_, name);
  if (std::ranges::any_of(users, [](const PodFacts* pod) { return !pod->node.empty(); })) return;
  remove_finalizer(world_.cluster.api, {world_.kinds.claims, namespace_, name}, kProtection);
}

void ClaimController::reclaim(const std::string& volume) {
  const ObjectPtr found = world_.cluster.api.get({world_.kinds.volumes, "", volume});
  if (volume.empty() || !found) return;
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.claims, text(*found, {"spec", "claimRef", "namespace"}),
                                                  text(*found, {"spec", "claimRef", "name"})});
  if (claim && uid_of(*claim) == text(*found, {"spec", "claimRef", "uid"})) return;
  if (text(*found, {"spec", "persistentVolumeReclaimPolicy"}) != "Delete" || is_attached(world_.cluster.api, volume)) {
    static_cast<void>(world_.cluster.api.update(
        {world_.kinds.volumes, "", volume},
        [](Value& object) {
          set(object, {"status", "phase"}, "Released");
        },
        "status"));
    return;
  }
  static_cast<void>(world_.cluster.api.remove({world_.kinds.volumes, "", volume}));
  remove_finalizer(world_.cluster.api, {world_.kinds.volumes, "", volume}, kVolumeProtection);
  volumes_.remove(volume);
  world_.cluster.log.add("storage", "deleted " + volume);
}

}  // namespace reprise::simulator
