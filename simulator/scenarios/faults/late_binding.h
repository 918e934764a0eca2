// A Binding that was on its way when its pod was marked failed: it lands all the same.
#pragma once

#include "runtime/base/random.h"
#include "simulator/scenarios/run/pod_trigger.h"

namespace reprise::simulator {

class LateBinding {
 public:
  // Both outlive it.
  LateBinding(Actors& actors, runtime::Random& random);

  // Arms for the next pod that is marked failed; never takes effect inside this call.
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
