#include "simulator/actors/scheduler/scheduler.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "simulator/actors/scheduler/preemption.h"
#include "simulator/actors/support/conditions.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kWho = "default-scheduler";

// "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint {a: b}."
std::string summary(std::size_t nodes, const std::map<std::string, int>& reasons) {
  std::string out = "0/" + std::to_string(nodes) + " nodes are available";
  const char* separator = ": ";
  for (const auto& [reason, count] : reasons) {
    out += separator + std::to_string(count) + " " + reason;
    separator = ", ";
  }
  return out + ".";
}

}  // namespace

Scheduler::Scheduler(const World& world) : world_(world), wake_(world.cluster.loop, [this] { cycle(); }) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
  wake_.within(kLatency);
}

void Scheduler::see(const ObjectChange& change) {
  const KindIds& kinds = world_.kinds;
  if (change.resource == kinds.nodes) see_node(change);
  if (change.resource == kinds.pods && change.change != Change::Added) {
    // A pod of its own that merely makes progress on its node changes nothing for others.
    const bool going = change.change == Change::Deleted ||
                       text(*change.object, {"status", "phase"}) != text(*change.before, {"status", "phase"});
    if (going) wake_.within(kLatency);
    return;
  }
  const bool matters = change.resource == kinds.pods || change.resource == kinds.nodes ||
                       change.resource == kinds.claims || change.resource == kinds.volumes;
  if (matters) wake_.within(kLatency);
}

void Scheduler::see_node(const ObjectChange& change) {
  const Duration now = world_.cluster.loop.now();
  if (taint_lag_ == Duration{0} || change.change != Change::Modified) return;
  std::erase_if(outdated_, [&](const auto& each) { return each.second.until <= now; });
  Taints before = read_taints(array(*change.before, {"spec", "taints"}));
  if (before.size() >= array(*change.object, {"spec", "taints"}).size()) return;
  outdated_.try_emplace(std::string(uid_of(*change.object)), Outdated{std::move(before), now + taint_lag_});
  wake_.within(taint_lag_);
}

NodeFacts Scheduler::as_known(const NodeFacts& node) const {
  NodeFacts known = node;
  const auto found = outdated_.find(node.uid);
  if (found != outdated_.end() && found->second.until > world_.cluster.loop.now()) known.taints = found->second.taints;
  return known;
}

void Scheduler::cycle() {
  std::vector<std::tuple<std::int64_t, std::uint64_t, std::string>> queue;
  for (const auto& [key, pod] : world_.view.pods())
    if (pod.node.empty() && !pod.deleting && !pod.finished()) queue.emplace_back(-pod.spec->priority, pod.order, key);
  std::erase_if(tries_, [&](const auto& each) {
    const PodFacts* pod = world_.view.pod(each.first);
    return pod == nullptr || !pod->node.empty() || pod->uid != each.second.uid;
  });
  std::ranges::sort(queue);
  for (const auto& [priority, order, key] : queue) {
    const PodFacts* pod = world_.view.pod(key);
    if (pod == nullptr || !pod->node.empty()) continue;
    Try& attempt = tries_.try_emplace(key, Try{.uid = pod->uid}).first->second;
    if (attempt.not_before > world_.cluster.loop.now()) {
      wake_.within(attempt.not_before - world_.cluster.loop.now());
      continue;
    }
    place(*pod, attempt);
  }
}

// The resources that others leave it; pods count too that hold a place there without being bound yet.
Resources Scheduler::left_for(const PodFacts& pod, const NodeFacts& node) const {
  Resources free = world_.view.free_on(node);
  for (const auto& [key, attempt] : tries_) {
    const PodFacts* other = world_.view.pod(key);
    if (other == nullptr || other->uid == pod.uid || !other->node.empty()) continue;
    const bool nominated = other->nominated_node == node.name && other->spec->priority >= pod.spec->priority;
    if (attempt.reserved_on == node.name || nominated) subtract(free, other->spec->requests);
  }
  return free;
}

void Scheduler::place(const PodFacts& pod, Try& attempt) {
  const VolumeNeeds volumes = volume_needs(world_, pod);
  if (!volumes.problem.empty()) {
    mark_unschedulable(
        pod, attempt,
        "0/" + std::to_string(world_.view.nodes().size()) + " nodes are available: " + volumes.problem + ".");
    return;
  }
  std::map<std::string, int> reasons;
  bool room_could_help = false;
  const NodeFacts* best = nullptr;
  std::tuple<bool, std::int64_t> best_score{};
  for (const auto& [name, node] : world_.view.nodes()) {
    const Resources free = left_for(pod, node);
    Fit found = outdated_.empty() ? fit(*pod.spec, volumes, node, free) : fit(*pod.spec, volumes, as_known(node), free);
    if (found.misfit != Misfit::None) {
      room_could_help = room_could_help || found.misfit == Misfit::Room;
      ++reasons[found.reason];
      continue;
    }
    // Prefers the node where it was nominated or holds its place; then the emptiest, as NodeResourcesFit
    // (LeastAllocated) does.
    const bool own = name == pod.nominated_node || name == attempt.reserved_on;
    const std::tuple score{own, amount(free, "cpu")};
    if (best == nullptr || score > best_score) {
      best = &node;
      best_score = score;
    }
  }
  if (best != nullptr) {
    if (volumes.to_provision.empty())
      bind(pod, best->name);
    else
      reserve(pod, attempt, volumes, best->name);
    return;
  }
  attempt.reserved_on.clear();
  const std::string why = summary(world_.view.nodes().size(), reasons);
  const std::string key = pod.key();
  if (room_could_help && pod.spec->preempts)
    preempt(pod, volumes);
  else
    forget_nomination(pod);
  if (const PodFacts* still = world_.view.pod(key)) mark_unschedulable(*still, attempt, why);
}

void Scheduler::bind(const PodFacts& pod, std::string node) {
  const std::string key = pod.key();
  const std::string namespace_ = pod.namespace_;
  const std::string name = pod.name;
  const ObjectPtr object = pod.object;
  if (!world_.cluster.api.bind(namespace_, name, node)) return;
  world_.cluster.log.add("scheduler", "bound " + key + " to " + node);
  record_event(world_, world_.kinds.pods, *object, "Scheduled", "Successfully assigned " + key + " to " + node, kWho);
}

void Scheduler::reserve(const PodFacts& pod, Try& attempt, const VolumeNeeds& volumes, const std::string& node) {
  attempt.reserved_on = node;
  const std::string namespace_ = pod.namespace_;
  for (const std::string& claim : volumes.to_provision)
    static_cast<void>(world_.cluster.api.update({world_.kinds.claims, namespace_, claim}, [&](Value& object) {
      set(object, {"metadata", "annotations", kSelectedNode}, Value(attempt.reserved_on));
    }));
}

void Scheduler::preempt(const PodFacts& pod, const VolumeNeeds& volumes) {
  // Victims of an earlier preemption may still be going.
  if (!pod.nominated_node.empty()) {
    for (const PodFacts* each : world_.view.pods_on(pod.nominated_node))
      if (each->deleting && each->spec->priority < pod.spec->priority) return;
  }
  const auto choice = choose_victims(*pod.spec, volumes, world_.view);
  if (!choice) {
    // The place it had made is gone: Karpenter looks after such a pod again.
    if (!pod.nominated_node.empty())
      static_cast<void>(world_.cluster.api.update(
          {world_.kinds.pods, pod.namespace_, pod.name},
          [](Value& object) {
            unset(object, {"status", "nominatedNodeName"});
          },
          "status"));
    return;
  }
  const std::string key = pod.key();
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.pods, pod.namespace_, pod.name},
      [&](Value& object) {
        set(object, {"status", "nominatedNodeName"}, Value(choice->node));
      },
      "status"));
  for (const std::string& victim : choice->victims) {
    const PodFacts* found = world_.view.pod(victim);
    if (found == nullptr || found->deleting) continue;
    world_.cluster.log.add("scheduler", key + " preempts " + victim + " on " + choice->node);
    record_event(world_, world_.kinds.pods, *found->object, "Preempted", "Preempted by a pod on node " + choice->node,
                 kWho);
    if (const PodFacts* still = world_.view.pod(victim))
      disrupt_pod(world_, *still, "PreemptionByScheduler",
                  "default-scheduler: preempting to accommodate a higher priority pod");
  }
}

// The place that was made for it is gone: Karpenter looks after such a pod again.
void Scheduler::forget_nomination(const PodFacts& pod) {
  if (pod.nominated_node.empty()) return;
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.pods, pod.namespace_, pod.name},
      [](Value& object) {
        unset(object, {"status", "nominatedNodeName"});
      },
      "status"));
}

void Scheduler::mark_unschedulable(const PodFacts& pod, Try& attempt, const std::string& why) {
  EventLoop& loop = world_.cluster.loop;
  attempt.backoff = std::min(std::max(attempt.backoff * 2, kFirstBackoff), kMaxBackoff);
  attempt.not_before = loop.now() + attempt.backoff;
  if (pod.unschedulable && condition_message(*pod.object, "PodScheduled") == why) return;
  const std::string now = time_text(loop);
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.pods, pod.namespace_, pod.name},
      [&](Value& object) {
        set_condition(object, {"PodScheduled", "False", "Unschedulable", why}, now);
      },
      "status"));
}

}  // namespace reprise::simulator
