// A Binding that was on its way when its pod was withdrawn: it lands on a pod that has been called Failed.
#pragma once

#include <memory>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"

namespace reprise::simulator {

class LateBinding {
 public:
  // Both outlive it.
  LateBinding(Actors& actors, runtime::Random& random);

  // The next pod that is withdrawn; never inside this call.
  void arm() { armed_ = true; }
  void disarm() { armed_ = false; }

 private:
  void see(const ObjectChange& change);

  Actors& actors_;
  runtime::Random& random_;
  bool armed_ = false;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
