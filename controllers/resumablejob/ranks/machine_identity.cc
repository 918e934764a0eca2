#include "controllers/resumablejob/ranks/machine_identity.h"

#include <algorithm>
#include <set>

namespace reprise::controllers::resumablejob {
namespace {

const kube::Pod* pod_of(const std::vector<std::shared_ptr<const kube::Pod>>& pods, const api::RankStatus& rank) {
  const auto found = std::ranges::find_if(pods, [&](const auto& pod) {
    return rank.pod_uid.empty() ? pod->meta.name == rank.pod_name : pod->meta.uid == rank.pod_uid;
  });
  return found == pods.end() ? nullptr : found->get();
}

std::string node_of(const Observation& seen, const api::RankStatus& rank, const kube::Pod* pod) {
  if (!rank.node_name.empty()) return rank.node_name;
  if (pod == nullptr) pod = pod_of(seen.deleted_pods, rank);
  if (pod != nullptr) return pod->node_name;
  const auto scheduled = seen.scheduled.find(rank.pod_name);
  return scheduled == seen.scheduled.end() ? std::string() : scheduled->second.node_name;
}

bool differs(const kube::Text& recorded, const kube::Text& shown) {
  return !recorded.empty() && !shown.empty() && recorded != shown;
}

bool is_other_machine(const api::RankStatus& rank, const kube::Node& node) {
  return differs(rank.node_uid, node.meta.uid) || differs(rank.provider_id, node.provider_id) ||
         differs(rank.boot_id, node.boot_id);
}

bool cache_does_not_do(const Observation& seen, const api::RankStatus& rank, const std::string& name,
                       const kube::Pod* pod) {
  if (rank.node_uid.empty()) return true;
  const auto cached = seen.nodes.find(name);
  if (cached == seen.nodes.end()) return true;  // gone, or not shown yet: only one of them is an interruption
  const bool boot_to_take =
      rank.boot_id.empty() && !cached->second->boot_id.empty() && pod != nullptr && pod->any_container_started();
  return boot_to_take || is_other_machine(rank, *cached->second);
}

}  // namespace

runtime::Result<void> confirm_machines(runtime::ReconcileContext& context, Observation& seen) {
  std::set<std::string> read;
  for (const api::RankStatus& rank : seen.job->status.members) {
    if (rank.proof != api::EndProof::None) continue;
    const kube::Pod* const pod = pod_of(seen.pods, rank);
    const std::string name = node_of(seen, rank, pod);
    if (name.empty() || read.contains(name) || !cache_does_not_do(seen, rank, name, pod)) continue;
    auto live = context.read_live<kube::Node>("", name);
    if (!live) return std::unexpected(std::move(live).error());
    read.insert(name);
    if (live->has_value()) {
      seen.nodes[name] = std::make_shared<const kube::Node>(**std::move(live));
    } else {
      seen.nodes.erase(name);
    }
  }
  return {};
}

}  // namespace reprise::controllers::resumablejob
