#include "simulator/actors/control/pod_gc.h"

#include <vector>

#include "simulator/actors/support/conditions.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";

}  // namespace

PodGc::PodGc(const World& world) : world_(world), timers_(world.cluster.loop) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void PodGc::see(const ObjectChange& change) {
  // A look every 20 s: the one that acts comes at some moment within that period.
  const auto some_part = [&] {
    return std::chrono::duration_cast<Duration>(kPeriod * world_.cluster.random.uniform());
  };
  std::string node;
  Duration wait{0};
  if (change.resource == world_.kinds.nodes) {
    node = name_of(*change.object);
    const bool out_of_service = change.change == Change::Modified && has_taint(*change.object, kOutOfService) &&
                                !has_taint(*change.before, kOutOfService);
    if (change.change == Change::Deleted)
      wait = kQuarantine;
    else if (!out_of_service)
      return;
  } else if (change.resource == world_.kinds.pods && change.change != Change::Deleted) {
    node = text(*change.object, {"spec", "nodeName"});
    const bool modified = change.change == Change::Modified;
    const bool late = (!modified || text(*change.before, {"spec", "nodeName"}).empty()) && !node.empty();
    const bool deleted = modified && being_deleted(*change.object) && !being_deleted(*change.before);
    const NodeFacts* facts = world_.view.node(node);
    if (node.empty()) return;
    if (facts == nullptr && late)
      wait = kQuarantine;
    else if (!(deleted && facts != nullptr && has_taint(*facts->object, kOutOfService)))
      return;
  } else {
    return;
  }
  timers_.after(wait + some_part(), [this, node] { collect(node); });
}

void PodGc::collect(const std::string& node) {
  const NodeFacts* facts = world_.view.node(node);
  const bool gone = facts == nullptr;
  const bool given_up = !gone && has_taint(*facts->object, kOutOfService) && !facts->ready;
  if (!gone && !given_up) return;
  std::vector<std::string> keys;
  for (const PodFacts* pod : world_.view.pods_on(node))
    if (gone || pod->deleting) keys.push_back(pod->key());
  const std::string now = time_text(world_.cluster.loop);
  for (const std::string& key : keys) {
    const PodFacts* pod = world_.view.pod(key);
    if (pod == nullptr) continue;
    world_.cluster.log.add("pod gc", "removes " + key + " of " + node);
    static_cast<void>(world_.cluster.api.update(
        {world_.kinds.pods, pod->namespace_, pod->name},
        [&](Value& object) {
          const std::string_view phase = text(object, {"status", "phase"});
          if (phase == "Succeeded" || phase == "Failed") return;
          set(object, {"status", "phase"}, "Failed");
          set_condition(object, {"DisruptionTarget", "True", "DeletionByPodGC", "PodGC: node no longer exists"}, now);
        },
        "status"));
    if (const PodFacts* still = world_.view.pod(key)) delete_pod(world_, *still, 0);
  }
}

}  // namespace reprise::simulator
