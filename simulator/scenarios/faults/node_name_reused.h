// A machine vanishes, the next one gets its node's name, and for some minutes the operators' caches of Nodes still show
// the first.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"
#include "simulator/scenarios/run/operators.h"

namespace reprise::simulator {

class NodeNameReused {
 public:
  // All outlive it.
  NodeNameReused(Actors& actors, Operators& operators, runtime::Random& random);

  // The machine that vanishes; empty when none is on.
  [[nodiscard]] std::optional<std::string> inject();
  void end();

 private:
  void see(const ObjectChange& change);

  Actors& actors_;
  Operators& operators_;
  runtime::Random& random_;
  std::string name_;  // the vanished node's
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
