#include "simulator/actors/node/kubelet.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "controllers/gpupool/sharing/mig_geometry.h"
#include "simulator/actors/node/pod_status.h"
#include "simulator/actors/support/conditions.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kConfigLabel = "nvidia.com/device-plugin.config";
constexpr std::string_view kMpsLabel = "nvidia.com/mps.capable";

std::string random_id(runtime::Random& random) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    out += digits[static_cast<std::size_t>(random.uniform() * 16)];
  }
  return out;
}

bool is_finished(const Value& pod) {
  const std::string_view phase = text(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

// Partitions as mig-parted has cut them: "all-1g.5gb", as many as fit. A layout that the GPUs cannot have leaves them
// with none.
Resources partitions_of(const Labels& labels, int gpus) {
  const auto label = [&](const char* key) {
    const auto found = labels.find(key);
    return found == labels.end() ? std::string_view() : std::string_view(found->second);
  };
  std::string_view profile = label("nvidia.com/mig.config");
  if (!profile.starts_with("all-")) return {};
  profile.remove_prefix(4);
  std::int64_t memory_mib = 0;
  const std::string_view memory = label("karpenter.k8s.aws/instance-gpu-memory");
  std::from_chars(memory.data(), memory.data() + memory.size(), memory_mib);
  for (const auto* gpu :
       controllers::gpupool::mig_geometries_of(label("karpenter.k8s.aws/instance-gpu-name"), memory_mib)) {
    if (const std::int64_t each = controllers::gpupool::most_of(*gpu, profile); each > 0)
      return {{"nvidia.com/gpu", 0}, {"nvidia.com/mig-" + std::string(profile), gpus * each * 1000}};
  }
  return {};
}

}  // namespace

Resources devices_of(const Labels& labels, int gpus) {
  if (gpus == 0) return {};
  const auto config = labels.find(kConfigLabel);
  const std::string_view value = config == labels.end() ? std::string_view{} : std::string_view(config->second);
  // The plugin waits for the MPS daemon, which runs only where the label says so.
  const auto mps = labels.find(kMpsLabel);
  if (value.starts_with("mps-") && (mps == labels.end() || mps->second != "true")) return {};
  if (value == "mig-mixed") return partitions_of(labels, gpus);
  const std::size_t dash = value.rfind('-');
  std::int64_t slices = 0;
  if (dash != std::string_view::npos) std::from_chars(value.data() + dash + 1, value.data() + value.size(), slices);
  if (slices > 1) return {{"nvidia.com/gpu", 0}, {"nvidia.com/gpu.shared", gpus * slices * 1000}};
  return {{"nvidia.com/gpu", gpus * 1000}};
}

Kubelet::Kubelet(const World& world, Volumes& volumes, Programs& programs, MachineShape shape)
    : world_(world),
      volumes_(volumes),
      programs_(programs),
      shape_(std::move(shape)),
      standstill_(world.cluster.loop),
      boot_(world.cluster.loop, &standstill_) {}

void Kubelet::speech() {
  if (speaks())
    silent_since_.reset();
  else if (!silent_since_)
    silent_since_ = world_.cluster.loop.now();
  speech_changed_();
}

void Kubelet::power_on() {
  if (std::exchange(on_, true)) return;
  up_ = true;
  boot_id_ = random_id(world_.cluster.random);
  ready_ = devices_ready_ = false;
  world_.cluster.log.add("kubelet " + shape_.name, "boots");
  register_node();
  boot_.after(jittered(world_.cluster.random, kReady, 0.4), [this] {
    ready_ = true;
    if (!speaks()) return;
    write_node(true);
    sync_all();
  });
  if (shape_.gpus > 0 && shape_.device_plugin)
    boot_.after(jittered(world_.cluster.random, kDevicePlugin, 0.4), [this] {
      devices_ready_ = true;
      if (speaks()) write_node(ready_);
    });
  speech();
}

void Kubelet::register_node() {
  if (!speaks()) return;
  Labels labels = shape_.labels;
  labels["kubernetes.io/hostname"] = shape_.name;
  labels["kubernetes.io/os"] = "linux";
  labels["kubernetes.io/arch"] = "amd64";
  JsonObject spec;
  if (!shape_.provider_id.empty()) spec["providerID"] = shape_.provider_id;
  if (!shape_.taints.empty()) spec["taints"] = write_taints(shape_.taints);
  JsonObject metadata{{"name", shape_.name}};
  metadata["labels"] = write_labels(labels);
  JsonObject node{{"apiVersion", "v1"}, {"kind", "Node"}};
  node["metadata"] = std::move(metadata);
  node["spec"] = std::move(spec);
  static_cast<void>(world_.cluster.api.create(world_.kinds.nodes, std::move(node)));
  write_node(ready_);
}

void Kubelet::write_node(bool ready) {
  const std::string now = time_text(world_.cluster.loop);
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.nodes, "", shape_.name},
      [&](Value& node) {
        Resources all = shape_.capacity;
        all.try_emplace("pods", 110'000);
        if (devices_ready_) add(all, devices_of(read_labels(object(node, {"metadata", "labels"})), shape_.gpus));
        set(node, {"status", "capacity"}, write_resources(all));
        set(node, {"status", "allocatable"}, write_resources(all));
        set(node, {"status", "nodeInfo", "bootID"}, Value(boot_id_));
        set(node, {"status", "nodeInfo", "kubeletVersion"}, Value("v1.35.4"));
        if (ready)
          set_condition(node, {"Ready", "True", "KubeletReady", "kubelet is posting ready status"}, now);
        else
          set_condition(
              node, {"Ready", "False", "KubeletNotReady", "container runtime network not ready: NetworkReady=false"},
              now);
      },
      "status"));
}

void Kubelet::power_off() {
  if (!std::exchange(on_, false)) return;
  world_.cluster.log.add("kubelet " + shape_.name, "loses power");
  boot_.cancel_all();
  syncs_.clear();
  volumes_.lose_power(shape_.name);
  // Mounted volumes stay so for the control plane; they are given back when the pods or the node go.
  for (auto& [uid, run] : runs_) run->lose_power();
  runs_.clear();
  rejected_.clear();
  standstill_.end();
  speech();
}

void Kubelet::silence(bool silent) {
  if (std::exchange(silent_, silent) == silent) return;
  speech();
  if (!speaks()) return;
  write_node(ready_);
  sync_all();
}

void Kubelet::stand_still(bool still) {
  if (!on_ || standstill_.lasts() == still) return;
  world_.cluster.log.add("kubelet " + shape_.name, still ? "stands still" : "goes on");
  if (still)
    standstill_.begin();
  else
    standstill_.end();
  for (auto& [uid, run] : runs_) run->stood_still(still);
  speech();
  if (!speaks()) return;
  write_node(ready_);
  sync_all();
}

void Kubelet::restart(Duration down) {
  up_ = false;
  speech();
  boot_.after(down, [this] {
    up_ = true;
    speech();
    if (!speaks()) return;
    register_node();
    sync_all();
  });
}

void Kubelet::reject(const std::string& pod_uid, std::string reason, std::string message) {
  to_reject_[pod_uid] = {std::move(reason), std::move(message)};
}

void Kubelet::restart_and_reject(Duration down, std::string reason, std::string message) {
  up_ = false;
  speech();
  boot_.after(down, [this, reason = std::move(reason), message = std::move(message)] {
    up_ = true;
    speech();
    if (!speaks()) return;
    register_node();
    reject_what_runs(reason, message);
    sync_all();
  });
}

void Kubelet::write_rejection(const Value& pod, const std::string& reason, const std::string& message) {
  world_.cluster.log.add("kubelet " + shape_.name, "rejects " + std::string(name_of(pod)) + ": " + reason);
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.pods, namespace_of(pod), name_of(pod)},
      [&](Value& object) {
        if (uid_of(object) == uid_of(pod)) write_rejected_status(object, reason, message, world_.cluster.loop);
      },
      "status"));
}

// Gives orphans of its runtime one second.
void Kubelet::reject_what_runs(const std::string& reason, const std::string& message) {
  for (auto& [uid, run] : runs_) {
    const ObjectPtr pod = find_pod(uid);
    if (run->ended() || !pod || being_deleted(*pod)) continue;
    rejected_.insert(uid);
    write_rejection(*pod, reason, message);
    run->stop(std::chrono::seconds(1));
  }
}

void Kubelet::node_changed(const Value& node) {
  if (!speaks() || !devices_ready_) return;
  const Resources offered = devices_of(read_labels(object(node, {"metadata", "labels"})), shape_.gpus);
  const Resources shown = read_resources(object(node, {"status", "allocatable"}));
  for (const auto& [name, value] : offered)
    if (amount(shown, name) != value) {
      boot_.after(kLatency, [this] {
        if (speaks()) write_node(ready_);
      });
      return;
    }
}

ObjectPtr Kubelet::find_pod(const std::string& uid) const {
  for (const PodFacts* pod : world_.view.pods_on(shape_.name))
    if (pod->uid == uid) return pod->object;
  return nullptr;
}

void Kubelet::pod_changed(const std::string& uid) {
  sync_soon(uid, kLatency);
}

void Kubelet::sync_soon(const std::string& uid, Duration delay) {
  if (!on_) return;
  auto& wake = syncs_[uid];
  if (!wake) wake = std::make_unique<Wake>(world_.cluster.loop, [this, uid] { sync(uid); });
  wake->within(delay);
}

void Kubelet::sync_all() {
  for (const PodFacts* pod : world_.view.pods_on(shape_.name)) sync_soon(pod->uid, kLatency);
  for (const auto& [uid, run] : runs_) sync_soon(uid, kLatency);
}

void Kubelet::sync(const std::string& id) {
  // The reference may become invalid meanwhile, with the pod.
  const std::string uid = id;  // NOLINT(performance-unnecessary-copy-initialization)
  if (!speaks() || !ready_) return;
  const ObjectPtr pod = find_pod(uid);
  if (rejected_.contains(uid)) return clean_up_rejected(uid);
  const auto found = runs_.find(uid);
  if (!pod) return end_removed(uid);
  if (found == runs_.end()) return admit(uid, pod);
  PodRun& run = *found->second;
  run.pod_changed(pod);
  if (being_deleted(*pod) && !run.ended())
    run.stop(std::chrono::seconds(number(*pod, {"metadata", "deletionGracePeriodSeconds"}, 30)));
  report(run);
  if (run.ended()) clean_up(uid, *pod);
}

void Kubelet::clean_up_rejected(const std::string& uid) {
  const auto run = runs_.find(uid);
  if (run != runs_.end() && !run->second->ended()) return;
  rejected_.erase(uid);
  runs_.erase(uid);
  clean_at_.erase(uid);
  sync_soon(uid, kCleanUp);
}

// Ends pods removed by force, or by a garbage collector, with the grace of their specs.
void Kubelet::end_removed(const std::string& uid) {
  const auto found = runs_.find(uid);
  if (found == runs_.end() || found->second->ended()) return forget(uid);
  PodRun& run = *found->second;
  if (!run.stopping())
    run.stop(std::chrono::seconds(number(*run.pod(), {"spec", "terminationGracePeriodSeconds"}, 30)));
}

void Kubelet::admit(const std::string& uid, const ObjectPtr& pod) {
  if (is_finished(*pod)) {
    volumes_.release_all(uid);  // volumes mounted by the boot before are not mounted any more
    if (being_deleted(*pod)) remove(*pod);
    return;
  }
  const auto rejected = to_reject_.find(uid);
  if (rejected != to_reject_.end() && !being_deleted(*pod) && !has_started(*pod)) {
    const auto [reason, message] = rejected->second;
    to_reject_.erase(rejected);
    return write_rejection(*pod, reason, message);
  }
  if (being_deleted(*pod) || has_started(*pod)) {
    static_cast<void>(world_.cluster.api.update(
        {world_.kinds.pods, namespace_of(*pod), name_of(*pod)},
        [&](Value& object) { write_lost_status(object, world_.cluster.loop); }, "status"));
    sync_soon(uid, kCleanUp);
    return;
  }
  runs_[uid] =
      std::make_unique<PodRun>(world_, volumes_, programs_, shape_.name, images_, standstill_, pod,
                               [this, uid] { sync_soon(uid, jittered(world_.cluster.random, kRelist / 2, 0.9)); });
  report(*runs_[uid]);
}

void Kubelet::clean_up(const std::string& uid, const Value& pod) {
  for (const Value& each : array(pod, {"spec", "volumes"})) {
    if (text(each, {"persistentVolumeClaim", "claimName"}).empty()) continue;
    volumes_.release_all(uid);
    break;
  }
  if (!being_deleted(pod)) return;
  const Duration now = world_.cluster.loop.now();
  const auto clean = clean_at_.try_emplace(uid, now + jittered(world_.cluster.random, kCleanUp, 0.5)).first;
  if (is_finished(pod) && now >= clean->second)
    remove(pod);
  else
    sync_soon(uid, std::max(clean->second - now, kLatency));
}

void Kubelet::report(const PodRun& run) {
  const ObjectPtr& pod = run.pod();
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.pods, namespace_of(*pod), name_of(*pod)},
      [&](Value& object) {
        if (uid_of(object) == uid_of(*pod)) write_pod_status(object, run, world_.cluster.loop);
      },
      "status"));
}

void Kubelet::remove(const Value& pod) {
  const std::string uid(uid_of(pod));
  volumes_.release_all(uid);
  static_cast<void>(world_.cluster.api.remove({world_.kinds.pods, namespace_of(pod), name_of(pod)},
                                              {.grace_seconds = 0, .uid = uid}));
  forget(uid);
}

// The wake that runs now must not destroy itself.
void Kubelet::forget(const std::string& uid) {
  runs_.erase(uid);
  clean_at_.erase(uid);
  boot_.after(Duration{0}, [this, uid] {
    if (!runs_.contains(uid)) syncs_.erase(uid);
  });
}

}  // namespace reprise::simulator
