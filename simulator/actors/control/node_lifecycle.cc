#include "simulator/actors/control/node_lifecycle.h"

#include <vector>

#include "simulator/actors/support/conditions.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";

Wake& wake_of(std::map<std::string, std::unique_ptr<Wake>>& wakes, const std::string& key, EventLoop& loop,
              std::function<void()> work) {
  auto& wake = wakes[key];
  if (!wake) wake = std::make_unique<Wake>(loop, std::move(work));
  return *wake;
}

}  // namespace

NodeLifecycle::NodeLifecycle(const World& world, Kubelets& kubelets) : world_(world), kubelets_(kubelets) {
  kubelets_.on_speech([this](const std::string& node) { speech(node); });
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void NodeLifecycle::see(const ObjectChange& change) {
  if (change.resource != world_.kinds.nodes || change.change == Change::Deleted) return;
  const std::string name(name_of(*change.object));
  wake_of(following_, name, world_.cluster.loop, [this, name] { follow_condition(name); }).within(kLatency);
}

void NodeLifecycle::speech(const std::string& node) {
  const Kubelet* kubelet = kubelets_.find(node);
  Wake& wake = wake_of(silent_, node, world_.cluster.loop, [this, node] { call_silent(node); });
  wake.cancel();
  if (kubelet != nullptr && kubelet->speaks()) return;
  const double share = world_.cluster.random.uniform();
  const auto since_renewal = std::chrono::duration_cast<Duration>(kRenewal * share);
  wake.within(kGrace - since_renewal + std::chrono::duration_cast<Duration>(kPeriod * world_.cluster.random.uniform()));
}

void NodeLifecycle::call_silent(const std::string& node) {
  const Kubelet* kubelet = kubelets_.find(node);
  if (world_.view.node(node) == nullptr || (kubelet != nullptr && kubelet->speaks())) return;
  world_.cluster.log.add("node lifecycle", "calls " + node + " NotReady");
  const std::string now = time_text(world_.cluster.loop);
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.nodes, "", node},
      [&](Value& object) {
        set_condition(object, {"Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."}, now);
      },
      "status"));
  pods_not_ready(node);
}

void NodeLifecycle::pods_not_ready(const std::string& node) {
  const std::string now = time_text(world_.cluster.loop);
  std::vector<std::pair<std::string, std::string>> pods;
  for (const PodFacts* pod : world_.view.pods_on(node))
    if (!pod->finished() && is_true(*pod->object, "Ready")) pods.emplace_back(pod->namespace_, pod->name);
  for (const auto& [namespace_, name] : pods)
    static_cast<void>(world_.cluster.api.update(
        {world_.kinds.pods, namespace_, name},
        [&](Value& object) {
          set_condition(object, {"Ready", "False", "NodeNotReady"}, now);
        },
        "status"));
}

// Taints follow the condition Ready.
void NodeLifecycle::follow_condition(const std::string& node) {
  const NodeFacts* facts = world_.view.node(node);
  if (facts == nullptr) return;
  const std::string_view ready = condition_status(*facts->object, "Ready");
  const std::string_view wanted = ready == "True" ? "" : ready == "Unknown" ? kUnreachable : kNotReady;
  const std::string_view other = wanted == kUnreachable ? kNotReady : kUnreachable;
  const bool right = wanted.empty()
                         ? !has_taint(*facts->object, kNotReady) && !has_taint(*facts->object, kUnreachable)
                         : has_taint(*facts->object, wanted, "NoExecute") &&
                               has_taint(*facts->object, wanted, "NoSchedule") && !has_taint(*facts->object, other);
  if (right) return;
  const std::string now = time_text(world_.cluster.loop);
  static_cast<void>(world_.cluster.api.update({world_.kinds.nodes, "", node}, [&](Value& object) {
    remove_taint(object, other);
    if (wanted.empty()) {
      remove_taint(object, kNotReady);
      return;
    }
    add_taint(object, {std::string(wanted), {}, "NoSchedule"}, now);
    add_taint(object, {std::string(wanted), {}, "NoExecute"}, now);
  }));
}

TaintEviction::TaintEviction(const World& world) : world_(world) {
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void TaintEviction::see(const ObjectChange& change) {
  std::string node;
  if (change.resource == world_.kinds.nodes && change.change != Change::Deleted) node = name_of(*change.object);
  if (change.resource == world_.kinds.pods && change.change == Change::Modified &&
      text(*change.before, {"spec", "nodeName"}).empty())
    node = text(*change.object, {"spec", "nodeName"});
  if (node.empty()) return;
  wake_of(looks_, node, world_.cluster.loop, [this, node] { look(node); }).within(kLatency);
}

void TaintEviction::look(const std::string& node) {
  const NodeFacts* facts = world_.view.node(node);
  if (facts == nullptr) return;
  const Duration now = world_.cluster.loop.now();
  const std::string prefix = node + "/";
  std::erase_if(since_, [&](const auto& each) {
    return each.first.starts_with(prefix) && !has_taint(*facts->object, each.first.substr(prefix.size()), "NoExecute");
  });
  std::vector<std::string> going;
  for (const Taint& taint : facts->taints) {
    if (taint.effect != "NoExecute") continue;
    const Duration since = since_.try_emplace(prefix + taint.key, now).first->second;
    for (const PodFacts* pod : world_.view.pods_on(node)) {
      if (pod->deleting || pod->finished()) continue;
      // The shortest toleration counts; one without seconds is for ever.
      std::optional<Duration> until = since;
      bool for_ever = false;
      bool tolerated = false;
      for (const Toleration& each : pod->spec->tolerations) {
        if (!tolerates(each, taint)) continue;
        if (!each.seconds) {
          for_ever = true;
          continue;
        }
        const Duration own = since + std::chrono::seconds(*each.seconds);
        until = tolerated ? std::min(*until, own) : own;
        tolerated = true;
      }
      if (for_ever && !tolerated) continue;
      if (*until <= now)
        going.push_back(pod->key());
      else
        looks_[node]->within(*until - now);
    }
  }
  for (const std::string& key : going) {
    const PodFacts* pod = world_.view.pod(key);
    if (pod == nullptr || pod->deleting) continue;
    world_.cluster.log.add("taint eviction", "deletes " + key + " on " + node);
    disrupt_pod(world_, *pod, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint");
  }
}

}  // namespace reprise::simulator
