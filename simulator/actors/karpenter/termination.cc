#include "simulator/actors/karpenter/termination.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "simulator/actors/storage/volume_attachments.h"
#include "simulator/actors/support/conditions.h"
#include "simulator/actors/support/finalizers.h"

namespace reprise::simulator {
namespace {

// Drain and detaching are looked at once a second.
constexpr Duration kPoll{1'000};
// A pod that remains so long after its grace is taken for stuck.
constexpr Duration kStuck{60'000};

}  // namespace

Termination::Termination(const World& world, Cloud& cloud) : world_(world), cloud_(cloud), timers_(world.cluster.loop) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void Termination::see(const ObjectChange& change) {
  const KindIds& kinds = world_.kinds;
  if (change.resource == kinds.node_claims && being_deleted(*change.object) && change.change != Change::Deleted)
    step_soon(std::string(name_of(*change.object)), kLatency);
  if (change.resource == kinds.nodes) {
    const std::string name(name_of(*change.object));
    if (!has_finalizer(*change.object, kTermination) && change.change != Change::Deleted) return;
    const ObjectPtr claim = world_.cluster.api.get({kinds.node_claims, "", name});
    if (!claim) return;
    if (being_deleted(*claim)) {
      step_soon(name, kLatency);
    } else if (being_deleted(*change.object) && change.change != Change::Deleted) {
      // `kubectl delete node`: the finalizer keeps it, and its claim goes with it. A node whose finalizers somebody
      // took off leaves its claim behind: the machine still runs.
      timers_.after(kLatency, [this, name, uid = std::string(uid_of(*claim))] {
        static_cast<void>(world_.cluster.api.remove({world_.kinds.node_claims, "", name}, {.uid = uid}));
      });
    }
  }
  if (change.resource == kinds.pods && change.change != Change::Added) {
    const std::string node(text(*change.object, {"spec", "nodeName"}));
    if (const auto found = steps_.find(node); !node.empty() && found != steps_.end()) found->second->within(kLatency);
  }
}

void Termination::step_soon(const std::string& claim, Duration delay) {
  auto& wake = steps_[claim];
  if (!wake) wake = std::make_unique<Wake>(world_.cluster.loop, [this, name = claim] { step(name); });
  wake->within(delay);
}

std::optional<Duration> Termination::deadline(const Value& claim) const {
  const std::string_view text_of = text(claim, {"metadata", "annotations", kTerminationTime});
  if (text_of.empty()) return std::nullopt;
  return loop_time(world_.cluster.loop, text_of, world_.cluster.loop.now());
}

void Termination::condition(const std::string& claim, std::string_view type, std::string_view status,
                            std::string_view reason) {
  const ObjectPtr before = world_.cluster.api.get({world_.kinds.node_claims, "", claim});
  if (!before || (condition_status(*before, type) == status && condition_reason(*before, type) == reason)) return;
  const std::string now = time_text(world_.cluster.loop);
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.node_claims, "", claim},
      [&](Value& value) {
        set_condition(value, {type, status, reason}, now);
      },
      "status"));
}

void Termination::step(const std::string& name) {
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.node_claims, "", name});
  if (!claim || !being_deleted(*claim)) return;
  begin(*claim);
  const std::string id(text(*claim, {"status", "providerID"}));
  const Instance* instance = id.empty() ? nullptr : cloud_.find(id);
  const NodeFacts* node = world_.view.node(name);
  const bool machine_gone = instance == nullptr || instance->ended;
  if (machine_gone && (node == nullptr || !node->ready)) {
    finish(*claim);
    return;
  }
  if (node != nullptr) {
    if (!node->deleting) {
      static_cast<void>(world_.cluster.api.remove({world_.kinds.nodes, "", name}));
      step_soon(name, kLatency);
      return;
    }
    taint(name);
    const ObjectPtr now = world_.cluster.api.get({world_.kinds.node_claims, "", name});
    if (!now) return;
    if (!drained(*now, name)) return;
    const auto end = deadline(*now);
    if (awaits_volumes(name)) {
      if (!end || *end > world_.cluster.loop.now()) {
        condition(name, "VolumesDetached", "Unknown", "AwaitingVolumeDetachment");
        step_soon(name, kPoll);
        return;
      }
      condition(name, "VolumesDetached", "False", "TerminationGracePeriodElapsed");
    } else {
      condition(name, "VolumesDetached", "True", "VolumesDetached");
    }
  }
  if (machine_gone) {
    finish(*claim);
    return;
  }
  condition(name, "InstanceTerminating", "True", "InstanceTerminating");
  cloud_.terminate(id);  // instance_gone goes on
}

void Termination::begin(const Value& claim) {
  const auto grace = parse_duration(text(claim, {"spec", "terminationGracePeriod"}));
  if (!grace || !text(claim, {"metadata", "annotations", kTerminationTime}).empty()) return;
  EventLoop& loop = world_.cluster.loop;
  const Duration from = loop_time(loop, text(claim, {"metadata", "deletionTimestamp"}), loop.now());
  const std::string at = time_text(loop, from + *grace);
  static_cast<void>(world_.cluster.api.update({world_.kinds.node_claims, "", name_of(claim)}, [&](Value& value) {
    set(value, {"metadata", "annotations", kTerminationTime}, Value(at));
  }));
}

void Termination::taint(const std::string& node) {
  const NodeFacts* facts = world_.view.node(node);
  if (facts == nullptr || has_taint(*facts->object, kDisruptedTaint)) return;
  const std::string now = time_text(world_.cluster.loop);
  static_cast<void>(world_.cluster.api.update({world_.kinds.nodes, "", node}, [&](Value& value) {
    add_taint(value, {std::string(kDisruptedTaint), {}, "NoSchedule"}, now);
  }));
}

// Draining is reported and lasts a while, even when there is nothing to drain: the scheduler may not have seen the
// taint yet.
bool Termination::drained(const Value& claim, const std::string& node) {
  const Duration now = world_.cluster.loop.now();
  const bool empty = drain(claim, node);
  if (condition_status(claim, "Drained").empty()) {
    draining_since_[node] = now;
    condition(node, "Drained", "Unknown", "Draining");
  }
  if (!empty) return false;
  if (condition_status(claim, "Drained") == "True") return true;
  if (const Duration until = draining_since_[node] + kLeastDrain; now < until) {
    step_soon(node, std::min(kPoll, until - now));
    return false;
  }
  condition(node, "Drained", "True", "Drained");
  return true;
}

bool Termination::drain(const Value& claim, const std::string& node) {
  EventLoop& loop = world_.cluster.loop;
  const Duration now = loop.now();
  const auto end = deadline(claim);
  struct Deletion {
    std::string key;
    std::optional<std::int64_t> grace;
  };
  std::vector<Deletion> evicted;
  bool waits = false;
  const Taint disrupted{std::string(kDisruptedTaint), {}, "NoSchedule"};
  for (const PodFacts* pod : world_.view.pods_on(node)) {
    if (pod->finished() || tolerates(pod->spec->tolerations, disrupted)) continue;
    if (pod->deleting) {
      const Duration due = loop_time(loop, text(*pod->object, {"metadata", "deletionTimestamp"}), now) + kStuck;
      if (due <= now || (end && *end <= now)) continue;
      waits = true;
      step_soon(node, std::min(due, end.value_or(due)) - now);
      continue;
    }
    waits = true;
    // With a termination grace period every pod goes early enough to have its own grace, or the rest of it.
    if (end && *end - std::chrono::seconds(pod->spec->grace_seconds) <= now) {
      const auto left = std::chrono::duration_cast<std::chrono::seconds>(*end - now).count();
      evicted.push_back({pod->key(), std::clamp<std::int64_t>(left, 1, pod->spec->grace_seconds)});
    } else if (!pod->do_not_disrupt) {
      evicted.push_back({pod->key(), std::nullopt});
    } else if (end) {
      step_soon(node, *end - std::chrono::seconds(pod->spec->grace_seconds) - now);
    }
  }
  for (const Deletion& each : evicted) {
    const PodFacts* pod = world_.view.pod(each.key);
    if (pod == nullptr || pod->deleting) continue;
    world_.cluster.log.add("karpenter", (each.grace ? "deletes " : "evicts ") + each.key + " from " + node);
    // Karpenter's own deletes carry no DisruptionTarget; the eviction API's do.
    if (each.grace)
      delete_pod(world_, *pod, each.grace);
    else
      disrupt_pod(world_, *pod, "EvictionByEvictionAPI", "Eviction API: evicting");
  }
  return !waits;
}

bool Termination::awaits_volumes(const std::string& node) const {
  const Duration now = world_.cluster.loop.now();
  const Taint disrupted{std::string(kDisruptedTaint), {}, "NoSchedule"};
  std::set<std::string> not_waited_for;
  for (const PodFacts* pod : world_.view.pods_on(node)) {
    const bool stuck =
        pod->deleting &&
        loop_time(world_.cluster.loop, text(*pod->object, {"metadata", "deletionTimestamp"}), now) + kStuck < now;
    if (!stuck && !tolerates(pod->spec->tolerations, disrupted)) continue;
    for (const std::string& name : pod->spec->claims)
      if (const ObjectPtr claim = world_.cluster.api.get({world_.kinds.claims, pod->namespace_, name}))
        not_waited_for.emplace(text(*claim, {"spec", "volumeName"}));
  }
  return std::ranges::any_of(world_.cluster.api.list(world_.kinds.volume_attachments), [&](const ObjectPtr& each) {
    return text(*each, {"spec", "nodeName"}) == node &&
           !not_waited_for.contains(std::string(volume_of_attachment(*each)));
  });
}

void Termination::instance_gone(const Instance& instance) {
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.node_claims, "", instance.node});
  if (!claim) return;
  const std::string name = instance.node;
  if (being_deleted(*claim)) {
    step_soon(name, jittered(world_.cluster.random, kAsk, 0.5));
    // A node that is called Ready is drained as a working one: its pods go with it.
    return;
  }
  const auto wait = std::chrono::duration_cast<Duration>(kCollect * world_.cluster.random.uniform());
  timers_.after(wait, [this, name, uid = std::string(uid_of(*claim))] {
    world_.cluster.log.add("karpenter", "finds the machine of " + name + " gone");
    static_cast<void>(world_.cluster.api.remove({world_.kinds.node_claims, "", name}, {.uid = uid}));
  });
}

void Termination::finish(const Value& claim) {
  const std::string name(name_of(claim));
  if (const NodeFacts* node = world_.view.node(name)) {
    if (!node->deleting) static_cast<void>(world_.cluster.api.remove({world_.kinds.nodes, "", name}));
    remove_finalizer(world_.cluster.api, {world_.kinds.nodes, "", name}, kTermination);
  }
  // A machine that was launched only just now may still come up.
  if (const Instance* instance = cloud_.of_node(name); instance != nullptr && !instance->ended) {
    cloud_.terminate(instance->id);
    return;
  }
  remove_finalizer(world_.cluster.api, {world_.kinds.node_claims, "", name}, kTermination);
  world_.cluster.log.add("karpenter", "NodeClaim " + name + " is gone");
  timers_.after(Duration{0}, [this, name] {
    steps_.erase(name);
    draining_since_.erase(name);
  });
}

}  // namespace reprise::simulator
