// The machines' way to the disks: where each volume is attached, and its content.
//
// Access of several machines at once (RWX, an NFS or EFS share) needs no attaching. A volume for one machine is
// attached to one at a time: a second one waits, as `Multi-Attach error` says, until the first is detached.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/actors/support/wake.h"
#include "simulator/cluster/cluster.h"
#include "simulator/volumes/disk.h"

namespace reprise::simulator {

// The state of a volume for one machine there.
enum class AttachState { Attaching, Attached, Detaching, Detached };

class Volumes {
 public:
  explicit Volumes(Cluster& cluster) : cluster_(cluster), timers_(cluster.loop) {}

  // AttachVolume of EBS and persistent disks takes some seconds, as does detaching.
  static constexpr Duration kAttach{4'000}, kDetach{4'000};
  // ReconcilerMaxWaitForUnmountDuration (attachdetach/attach_detach_controller.go), before a volume is taken from a
  // silent machine by force.
  static constexpr Duration kForceDetach{360'000};

  Disk& make(const std::string& volume, const std::string& zone, bool shared, std::string_view claim = {});
  // Sets the traits of the volume of a claim of that name, for when it is made.
  void prepare(const std::string& claim, DiskTraits traits, DiskFormer former) {
    prepared_[claim] = {std::move(traits), std::move(former)};
  }
  void remove(const std::string& volume);
  // nullptr: there is none (any more).
  [[nodiscard]] Disk* disk(const std::string& volume);
  [[nodiscard]] const std::map<std::string, Disk>& disks() const { return disks_; }
  // Grows whenever somebody could have changed a disk.
  [[nodiscard]] std::uint64_t touches() const { return touches_; }

  // ---- kubelet and attach-detach controller
  // Mounts the volume for the pod on that machine; `ready` is called once when it is there (never inside this call).
  void want(const std::string& volume, const std::string& machine, const std::string& pod_uid,
            std::function<void()> ready);
  // The kubelet has unmounted it, or the machine holds nothing any more.
  void release(const std::string& volume, const std::string& machine, const std::string& pod_uid);
  void release_all(const std::string& pod_uid);
  // True when that pod has a volume mounted, as far as the control plane knows.
  [[nodiscard]] bool held_by(const std::string& pod_uid) const;
  // Notified of every step of every attachment, in the midst of it: plan its effects for later. One listener.
  void on_attachment(std::function<void(const std::string& volume, const std::string& machine, AttachState)> tell) {
    attachment_changed_ = std::move(tell);
  }
  // True for a volume with access for several machines at once.
  [[nodiscard]] bool shared(const std::string& volume) const;
  // Waits because another machine has it.
  [[nodiscard]] bool blocked(const std::string& volume, const std::string& machine) const;

  // ---- who works on the disk
  // `on_change`: somebody wrote a fence, a resume point or a record, or the volume answers again.
  using Listener = std::uint64_t;
  Listener listen(const std::string& volume, std::function<void()> on_change);
  // `tell`: the volume hangs for this machine alone, or answers it again.
  Listener listen_to_hangs(const std::string& volume, const std::string& machine, std::function<void(bool)> tell);
  void stop_listening(Listener listener);
  void changed(const std::string& volume);

  // ---- faults
  // The storage does not answer: reads and writes hang until it does.
  void stick(const std::string& volume, bool stuck);
  // Hangs the volume for one machine alone, while the others go on.
  void hang(const std::string& volume, const std::string& machine, bool hangs);
  [[nodiscard]] bool stuck(const std::string& volume, const std::string& machine) const {
    return stuck_.contains(volume) || hanging_.contains({volume, machine});
  }
  // True when it did not answer at some time from then on.
  [[nodiscard]] bool stood_still(const std::string& volume, Duration since) const;
  // Puts another disk under the same volume; programs that run there go on on it.
  void swap(const std::string& volume, Disk with);
  // Deletes everything on it, the agent's own files too.
  void empty(const std::string& volume);
  void lose_power(const std::string& machine);
  // Volumes whose trainers have deleted a durable checkpoint before its successor was durable.
  [[nodiscard]] const std::set<std::string>& lost_by_rotation() const { return lost_by_rotation_; }

 private:
  struct Attachment {
    bool shared = false;
    std::string machine;  // for a volume of one machine; empty: nowhere
    bool ready = false;   // attached
    bool detaching = false;
    std::map<std::string, std::set<std::string>> users;    // machine -> pods
    std::map<std::string, std::function<void()>> waiting;  // pod -> ready
  };
  // The only way to change them.
  std::map<std::string, Disk>& change_disks();
  void progress(const std::string& volume);
  [[nodiscard]] bool uses(const std::string& volume, const std::string& machine, const std::string& pod_uid) const;

  Cluster& cluster_;
  Timers timers_;
  std::map<std::string, Disk> disks_;
  std::map<std::string, std::pair<DiskTraits, DiskFormer>, std::less<>> prepared_;  // by claim
  std::uint64_t touches_ = 0;
  std::map<std::string, Attachment> attachments_;
  std::set<std::string> stuck_, lost_by_rotation_;
  std::map<std::string, Duration> released_;               // when it last answered again
  std::set<std::pair<std::string, std::string>> hanging_;  // volume, machine
  std::function<void(const std::string&, const std::string&, AttachState)> attachment_changed_ =
      [](const std::string&, const std::string&, AttachState) {};
  std::map<Listener, std::pair<std::string, std::function<void()>>> listeners_;
  std::map<Listener, std::pair<std::pair<std::string, std::string>, std::function<void(bool)>>> hang_listeners_;
  Listener next_listener_ = 1;
};

}  // namespace reprise::simulator
