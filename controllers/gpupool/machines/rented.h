// Counts, as Karpenter does, how much a pool has rented of the resource that limits count.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "controllers/gpupool/decide/observation.h"

namespace reprise::controllers::gpupool {

// True for a machine that is the pool's and is not being given back.
[[nodiscard]] bool is_rented(const Observation& seen, const api::NodeClaim& claim);
// `node`: the machine's, or null. A machine that is initialised counts with what its Node has, healthy or not.
[[nodiscard]] std::int64_t quantity_rented(const api::NodeClaim& claim, const kube::Node* node,
                                           std::string_view resource);

// The Nodes of a pool's machines, looked up by name. Lives as long as the observation.
class NodesOfClaims {
 public:
  explicit NodesOfClaims(const Observation& seen);
  // The NodeClaim's Node; null: there is none yet.
  [[nodiscard]] const kube::Node* of(const api::NodeClaim& claim) const;

 private:
  std::unordered_map<std::string_view, const kube::Node*> by_name_;
};

}  // namespace reprise::controllers::gpupool
