// Nodes of a capacity type that the pool takes only where an earlier one of spec.capacity is not to be had, and the
// machine that could stand in the place of each. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "controllers/gpupool/machines/may_go.h"
#include "controllers/gpupool/machines/rented.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/prices/node_price.h"

namespace reprise::controllers::gpupool {

struct FallbackNode {
  const api::NodeClaim* claim = nullptr;
  const kube::Node* node = nullptr;
  // The type of which the same machine in the same zone is cheaper, and which has room for it.
  const api::PoolCapacity* preferred = nullptr;
  prices::MicroUsd price = 0, preferred_price = 0;
  std::int64_t quantity = 0;  // in the resource that the pool's limits count
  MayGo may_go = {};
  std::set<std::string_view> jobs = {};  // the UIDs of those that use it
};

// The room that the limits of spec.capacity leave, and the resource in which they count it.
class CapacityRoom {
 public:
  CapacityRoom(const Observation& seen, const NodesOfClaims& nodes);
  [[nodiscard]] std::int64_t quantity_of(const api::NodeClaim& claim, const kube::Node* node) const {
    return quantity_rented(claim, node, sharing_.resource_name);
  }
  [[nodiscard]] bool has(const api::PoolCapacity& type, std::int64_t quantity) const;
  void take(const api::PoolCapacity& type, std::int64_t quantity) { rented_[type.type] += quantity; }

 private:
  GpuSharing sharing_;
  std::map<api::CapacityType, std::int64_t> rented_;
};

struct UsersOfNode {
  std::set<std::string_view> jobs;  // UIDs
  bool may_return = true;           // false: something else uses it, or a job that asks for what it has
};
// The users of nodes, by the node's name.
using UsersOfNodes = std::map<std::string_view, UsersOfNode>;
[[nodiscard]] UsersOfNodes users_of_nodes(const Observation& seen);

// The nodes that jobs use, and that nobody asks to stay.
[[nodiscard]] std::vector<FallbackNode> fallback_candidates(const Observation& seen, const NodesOfClaims& nodes,
                                                            const UsersOfNodes& users, const CapacityRoom& room);

// The place of a machine's type in spec.capacity; empty: the pool has no such type any more.
[[nodiscard]] std::optional<std::size_t> capacity_rank(const api::GpuPoolSpec& spec, const api::NodeClaim& claim);

}  // namespace reprise::controllers::gpupool
