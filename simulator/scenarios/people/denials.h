// A cluster's admission webhook denies the objects that jobs are made of, for minutes, with one of the answers that
// webhooks give: a code and a reason, a code alone, or neither.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"

namespace reprise::simulator {

class Denials {
 public:
  // Both outlive it.
  Denials(Actors& actors, runtime::Random& random) : actors_(actors), random_(random), timers_(actors.cluster.loop) {}

  // Begins before any operator has made an object: in a third of the scenarios it denies NodePools for the first
  // minutes, each time with another message. `chance`: its own alone.
  void begin(runtime::Random&& chance);
  // Names the denied kind and the answer; empty when it denies something already.
  std::optional<std::string> inject();
  // Ends a denial that lasts.
  void end();

 private:
  Actors& actors_;
  runtime::Random& random_;
  bool denying_ = false;
  std::uint64_t asked_ = 0;
  Timers timers_;
};

}  // namespace reprise::simulator
