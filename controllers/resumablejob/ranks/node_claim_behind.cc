#include "controllers/resumablejob/ranks/machine_identity.h"

namespace reprise::controllers::resumablejob {

std::shared_ptr<const api::NodeClaim> node_claim_behind(const Observation& seen, const api::RankStatus& rank) {
  std::shared_ptr<const api::NodeClaim> newest;
  for (const auto& [uid, claim] : seen.node_claims) {
    if (claim->node_name != rank.node_name) continue;
    const bool unknown = rank.provider_id.empty() || claim->provider_id.empty();
    if (!unknown && claim->provider_id != rank.provider_id) continue;
    if (!newest || newest->meta.creation_timestamp < claim->meta.creation_timestamp) newest = claim;
  }
  return newest;
}

}  // namespace reprise::controllers::resumablejob
