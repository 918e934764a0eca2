#include "simulator/actors/storage/volume_needs.h"

#include <algorithm>

namespace reprise::simulator {
namespace {

bool has_mode(const Value& claim, std::string_view mode) {
  return std::ranges::any_of(array(claim, {"spec", "accessModes"}),
                             [&](const Value& each) { return each.is_string() && each.get_string() == mode; });
}

bool used_by_another(const World& world, const PodFacts& pod, std::string_view claim) {
  return std::ranges::any_of(world.view.users_of_claim(pod.namespace_, claim), [&](const PodFacts* other) {
    return other->uid != pod.uid && !other->node.empty() && !other->finished();
  });
}

}  // namespace

bool VolumeNeeds::allow(const Labels& node) const {
  return std::ranges::all_of(node_affinity, [&](const std::vector<Requirements>& terms) {
    return std::ranges::any_of(terms, [&](const Requirements& term) { return satisfies(term, node); });
  });
}

bool waits_for_consumer(const World& world, const Value& claim) {
  const std::string_view name = text(claim, {"spec", "storageClassName"});
  if (name.empty()) return false;
  const ObjectPtr found = world.cluster.api.get({world.kinds.storage_classes, "", name});
  return found && text(*found, {"volumeBindingMode"}) == "WaitForFirstConsumer";
}

VolumeNeeds volume_needs(const World& world, const PodFacts& pod) {
  VolumeNeeds needs;
  for (const std::string& name : pod.spec->claims) {
    const ObjectPtr claim = world.cluster.api.get({world.kinds.claims, pod.namespace_, name});
    if (!claim) {
      needs.problem = "persistentvolumeclaim \"" + name + "\" not found";
      return needs;
    }
    if (being_deleted(*claim)) {
      needs.problem = "persistentvolumeclaim \"" + name + "\" is being deleted";
      return needs;
    }
    if (has_mode(*claim, "ReadWriteOncePod") && used_by_another(world, pod, name)) {
      needs.problem =
          "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in "
          "use by another pod";
      return needs;
    }
    if (text(*claim, {"status", "phase"}) != "Bound") {
      if (waits_for_consumer(world, *claim))
        needs.to_provision.push_back(name);
      else
        needs.problem = "pod has unbound immediate PersistentVolumeClaims";
      continue;
    }
    const ObjectPtr volume = world.cluster.api.get({world.kinds.volumes, "", text(*claim, {"spec", "volumeName"})});
    if (!volume) {
      needs.problem = "persistentvolume of claim \"" + name + "\" not found";
      continue;
    }
    std::vector<Requirements> terms;
    for (const Value& term : array(*volume, {"spec", "nodeAffinity", "required", "nodeSelectorTerms"}))
      terms.push_back(read_requirements(array(term, {"matchExpressions"})));
    if (!terms.empty()) needs.node_affinity.push_back(std::move(terms));
  }
  return needs;
}

}  // namespace reprise::simulator
