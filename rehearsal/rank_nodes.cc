#include "rehearsal/rank_nodes.h"

namespace reprise::simulator {

RankNodes::RankNodes(ApiServer& api)
    : pods_(api.subscribe(api.resource("", "pods"), [this](const ObjectChange& change) {
        const auto node = text(*change.object, {"spec", "nodeName"});
        if (node.empty()) return;
        if (auto trainer = trainer_of(*change.object)) nodes_[*std::move(trainer)] = node;
      })) {}

}  // namespace reprise::simulator
