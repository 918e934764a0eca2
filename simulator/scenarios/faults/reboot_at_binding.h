// A machine that restarts between the binding of a pod and its start: the pod then starts in the new boot.
#pragma once

#include "runtime/base/random.h"
#include "simulator/scenarios/run/pod_trigger.h"

namespace reprise::simulator {

class RebootAtBinding {
 public:
  // Both outlive it.
  RebootAtBinding(Actors& actors, runtime::Random& random);

  // Arms for the machine that the next pod is bound to; never takes effect inside this call.
  void arm() { trigger_.arm(); }
  void disarm() { trigger_.disarm(); }

 private:
  bool inject(const ObjectChange& change);

  Actors& actors_;
  runtime::Random& random_;
  Timers timers_;
  PodTrigger trigger_;
};

}  // namespace reprise::simulator
