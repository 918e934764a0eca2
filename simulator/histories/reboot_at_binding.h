// A machine that restarts between the binding of a pod and its start: the pod then starts in the new boot.
#pragma once

#include <memory>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"

namespace reprise::simulator {

class RebootAtBinding {
 public:
  // Both outlive it.
  RebootAtBinding(Actors& actors, runtime::Random& random);

  // The machine that the next pod is bound to; never inside this call.
  void arm() { armed_ = true; }
  void disarm() { armed_ = false; }

 private:
  void see(const ObjectChange& change);

  Actors& actors_;
  runtime::Random& random_;
  ResourceId pods_;
  bool armed_ = false;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
