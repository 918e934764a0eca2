#include "controllers/resumablejob/ends/ended_time.h"

#include <algorithm>

#include "controllers/resumablejob/ranks/proof.h"

namespace reprise::controllers::resumablejob {
namespace {

// True when the kubelet saw the end. For a container that was found gone it gives the time at which it found that out,
// or none.
bool saw_its_end(const kube::ContainerStatus& status) {
  return status.state == kube::ContainerStateKind::Terminated && status.finished_at != kube::Time{} &&
         status.reason != "Unknown" && status.reason != "ContainerStatusUnknown";
}

std::optional<kube::Time> ended_time_of(const kube::Pod& pod) {
  std::optional<kube::Time> last;
  for (const kube::ContainerStatus& status : pod.container_statuses) {
    if (status.state == kube::ContainerStateKind::Waiting) continue;  // the container never ran
    if (!saw_its_end(status)) return std::nullopt;
    last = std::max(last.value_or(status.finished_at), status.finished_at);
  }
  return last;
}

bool had_no_container(const Rank& rank) {
  return rank.state == RankState::NotCreated || rank.state == RankState::Rejected ||
         rank.memory.proof == api::EndProof::NeverBound;
}

}  // namespace

void remember_end(const Observation& seen, Rank& rank) {
  if (rank.memory.proof != api::EndProof::None) return;
  rank.memory.proof = proof_of_end(seen, rank);
  if (rank.memory.proof == api::EndProof::KubeletReport && rank.last)
    rank.memory.ended_time = ended_time_of(*rank.last);
}

std::optional<kube::Time> ended_time(const std::vector<Rank>& ranks) {
  std::optional<kube::Time> last;
  for (const Rank& rank : ranks) {
    if (had_no_container(rank)) continue;
    const auto& ended = rank.memory.ended_time;
    if (!ended) return std::nullopt;
    last = std::max(last.value_or(*ended), *ended);
  }
  return last;
}

}  // namespace reprise::controllers::resumablejob
