// The time since when this process knows each NodeClaim of a pool, by its own steady clock: the time of creation that
// the API server writes is by another clock, which may be minutes or hours away.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controllers/gpupool/decide/observation.h"
#include "runtime/base/clock.h"

namespace reprise::controllers::gpupool {

// For one pool. One thread.
class Sightings {
 public:
  // To be called at each pass; forgets NodeClaims that are not among these.
  [[nodiscard]] std::map<std::string, Sighting, std::less<>> look(
      const std::vector<std::shared_ptr<const api::NodeClaim>>& claims, runtime::Instant now);

 private:
  struct First {
    runtime::Instant at;
    bool from_before;
  };
  bool looked_ = false;
  std::map<std::string, First, std::less<>> first_;
};

}  // namespace reprise::controllers::gpupool
