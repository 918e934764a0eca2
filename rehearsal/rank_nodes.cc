#include "rehearsal/rank_nodes.h"

namespace reprise::rehearsal {

RankNodes::RankNodes(simulator::ApiServer& api)
    : pods_(api.subscribe(api.resource("", "pods"), [this](const simulator::ObjectChange& change) {
        const auto node = simulator::text(*change.object, {"spec", "nodeName"});
        if (node.empty()) return;
        if (auto trainer = trainer_of(*change.object)) nodes_[*std::move(trainer)] = node;
      })) {}

}  // namespace reprise::rehearsal
