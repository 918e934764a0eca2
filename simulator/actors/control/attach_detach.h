// The attach-detach controller, for machines that have fallen silent: a kubelet that works unmounts by itself.
//
// Volumes that a pod had mounted when its machine fell silent or vanished count as mounted until six minutes after the
// pod's end, also when the node is gone (nodeDelete keeps its last volumesInUse), or until the node is out of service.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "simulator/actors/node/kubelets.h"

namespace reprise::simulator {

class AttachDetach final : public Actor {
 public:
  AttachDetach(const World& world, Volumes& volumes, Kubelets& kubelets);

  // From the pod's end, or the taint, to the detach: one reconciler period is 100 ms.
  static constexpr Duration kLatency{1'000};

 private:
  struct Leaving {
    std::string node;
    bool by_force = false;  // the wait is long enough
  };
  void see(const ObjectChange& change);
  void force_after(Duration delay, const std::string& pod_uid);
  void settle();

  World world_;
  Volumes& volumes_;
  Kubelets& kubelets_;
  std::map<std::string, Leaving> leaving_;  // pods that are gone and had something mounted, by uid
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
