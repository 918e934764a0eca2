// The node on which each rank of each attempt has run, read from the pods while they exist.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "rehearsal/trainers/trainer_id.h"
#include "simulator/api_server/api_server.h"

namespace reprise::rehearsal {

// The last node, where a pod was made anew within its attempt.
using NodesOfRanks = std::map<TrainerKey, std::string>;

class RankNodes {
 public:
  // Outlives it.
  explicit RankNodes(simulator::ApiServer& api);

  [[nodiscard]] const NodesOfRanks& all() const { return nodes_; }

 private:
  NodesOfRanks nodes_;
  std::unique_ptr<simulator::ApiServer::Subscription> pods_;
};

}  // namespace reprise::rehearsal
