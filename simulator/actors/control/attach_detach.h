// The attach-detach controller, as far as machines that say nothing any more are concerned: a kubelet that works
// unmounts by itself.
#pragma once

#include <memory>
#include <string>

#include "simulator/actors/node/machines.h"

namespace reprise::simulator {

class AttachDetach final : public Actor {
 public:
  AttachDetach(const World& world, Volumes& volumes, Machines& machines);

  // From the node's or the pod's end to what is done about it: one reconciler period is 100 ms.
  static constexpr Duration kLatency{1'000};

 private:
  void see(const ObjectChange& change);

  World world_;
  Volumes& volumes_;
  Machines& machines_;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
