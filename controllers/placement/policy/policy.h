// A policy decides, tick by tick, what a job in one zone runs on. It sees what an operator sees and nothing of what is
// to come. A policy is told of every tick through `decide` alone and keeps what it has seen; one object serves one job.
#pragma once

#include <memory>
#include <string_view>

#include "controllers/placement/policy/safety_net.h"
#include "controllers/placement/policy/types.h"

namespace reprise::controllers::placement {

class Policy {
 public:
  virtual ~Policy() = default;
  // Chooses what to run on until the next tick. Already safe: among allowed(), or what keep_safe() falls back to.
  [[nodiscard]] virtual Mode decide(const Situation& now) = 0;
};

}  // namespace reprise::controllers::placement
