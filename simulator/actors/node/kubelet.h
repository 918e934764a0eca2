// One machine and its kubelet.
//
// The machine runs its pods; the kubelet reports to the API server and obeys it while it speaks: the machine is on, the
// kubelet is up, the network works, the machine does not stand still. The heartbeat is not written: the node
// controllers ask since when it is silent.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "simulator/actors/node/pod_run.h"

namespace reprise::simulator {

struct MachineShape {
  std::string name;         // the node's
  std::string provider_id;  // empty: not from a cloud
  Labels labels;
  Taints taints;       // to register with
  Resources capacity;  // without devices
  int gpus = 0;
  bool device_plugin = true;  // false: the GPUs are there and never shown
};

// The devices that the device plugin offers: nvidia.com/gpu, or the slices that the label
// nvidia.com/device-plugin.config asks for ("ts-4", "mps-4": renamed to nvidia.com/gpu.shared). By MPS only where
// nvidia.com/mps.capable has its daemon run.
[[nodiscard]] Resources devices_of(const Labels& labels, int gpus);

class Kubelet {
 public:
  Kubelet(const World& world, Volumes& volumes, Programs& programs, MachineShape shape);

  // Node tier measurements: node start to Ready 3-6 s; status within a second (PLEG relist, 1 s).
  static constexpr Duration kLatency{100}, kRelist{1'000}, kReady{5'000}, kCleanUp{1'000};
  // The device plugin's DaemonSet pod starts after the node and registers.
  static constexpr Duration kDevicePlugin{8'000};

  void power_on();   // a new boot: registers, or comes back under its name
  void power_off();  // no report, no sync
  // Cuts the network to the API server; running pods go on.
  void silence(bool silent);
  // Freezes the whole machine; afterwards it goes on as if nothing had been. A new boot ends that.
  void stand_still(bool still);
  // Restarts the kubelet's process: running pods go on, statuses come late.
  void restart(Duration down);
  // Makes the kubelet's admission reject that pod, when it comes to it.
  void reject(const std::string& pod_uid, std::string reason, std::string message);
  // Restarts, and rejects the pods that run there: first reports that and then ends them, as a kubelet does whose node
  // has changed.
  void restart_and_reject(Duration down, std::string reason, std::string message);

  void pod_changed(const std::string& uid);
  void node_changed(const Value& node);
  [[nodiscard]] bool on() const { return on_; }
  [[nodiscard]] bool speaks() const { return on_ && up_ && !silent_ && !standstill_.lasts(); }
  // Empty while it speaks.
  [[nodiscard]] std::optional<Duration> silent_since() const { return silent_since_; }
  void on_speech(std::function<void()> changed) { speech_changed_ = std::move(changed); }
  [[nodiscard]] const MachineShape& shape() const { return shape_; }
  [[nodiscard]] const std::map<std::string, std::unique_ptr<PodRun>>& runs() const { return runs_; }

 private:
  void register_node();
  void write_node(bool ready);
  void sync_all();
  void sync(const std::string& uid);
  void clean_up_rejected(const std::string& uid);
  void end_removed(const std::string& uid);
  void admit(const std::string& uid, const ObjectPtr& pod);  // runs it, or says why not
  void clean_up(const std::string& uid, const Value& pod);   // after its end
  void sync_soon(const std::string& uid, Duration delay);
  void report(const PodRun& run);
  void remove(const Value& pod);
  void forget(const std::string& uid);
  void write_rejection(const Value& pod, const std::string& reason, const std::string& message);
  void reject_what_runs(const std::string& reason, const std::string& message);
  void speech();
  [[nodiscard]] ObjectPtr find_pod(const std::string& uid) const;

  World world_;
  Volumes& volumes_;
  Programs& programs_;
  MachineShape shape_;
  Standstill standstill_;
  std::string boot_id_;
  bool on_ = false, up_ = true, silent_ = false, devices_ready_ = false, ready_ = false;
  std::optional<Duration> silent_since_ = Duration{0};
  std::set<std::string> images_;
  std::map<std::string, std::unique_ptr<PodRun>> runs_;  // by uid
  std::map<std::string, Duration> clean_at_;             // when a pod's leftovers are tidied up
  std::map<std::string, std::unique_ptr<Wake>> syncs_;
  std::map<std::string, std::pair<std::string, std::string>> to_reject_;  // by uid: reason, message
  std::set<std::string> rejected_;                                        // run to their end, without a report
  std::function<void()> speech_changed_ = [] {};
  Timers boot_;  // goes with the power
};

}  // namespace reprise::simulator
