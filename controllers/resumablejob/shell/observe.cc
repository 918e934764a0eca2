#include "controllers/resumablejob/shell/observe.h"

#include <algorithm>

#include "controllers/common/kept_ready.h"
#include "controllers/resumablejob/claims/claim_reservation.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/ranks/machine_identity.h"
#include "controllers/resumablejob/ranks/own_node_claim.h"
#include "controllers/resumablejob/shell/missing_pods.h"
#include "controllers/resumablejob/shell/observe_kueue.h"
#include "runtime/cache/watch/watch_event.h"

namespace reprise::controllers::resumablejob {
namespace {

using runtime::Result;

bool has_uid(const std::vector<std::shared_ptr<const kube::Pod>>& pods, const std::string& uid) {
  return std::ranges::any_of(pods, [&](const auto& pod) { return pod->meta.uid == uid; });
}

bool has_live_pod(const Observation& seen, const api::RankStatus& rank) {
  return std::ranges::any_of(seen.pods, [&](const auto& pod) { return pod->meta.name == rank.pod_name; });
}

// A pod that was recorded stays that rank's, also when somebody takes the reference off it: it may write. Others under
// a rank's name are strangers.
void read_pods(const Caches& caches, Observation& seen) {
  const api::ResumableJob& job = *seen.job;
  seen.pods = caches.pods.by_index(kByJob, job_key(job.meta.namespace_, job.meta.uid));
  for (const api::RankStatus& rank : job.status.members) {
    auto pod = caches.pods.get(job.meta.namespace_, rank.pod_name);
    if (!pod || is_of_job(pod->meta, job)) continue;
    if (pod->meta.uid == rank.pod_uid) {
      seen.pods.push_back(std::move(pod));
    } else {
      seen.strangers.insert(pod->meta.uid);
    }
  }
}

void read_claims(const Caches& caches, Observation& seen) {
  const api::ResumableJob& job = *seen.job;
  for (std::int32_t i = 0; i < claim_count(job); ++i) {
    const std::string name = claim_name(job, i);
    if (auto claim = caches.claims.get(job.meta.namespace_, name)) seen.claims[name] = std::move(claim);
    for (auto& pod : caches.pods.by_index(kByClaim, job.meta.namespace_ + "/" + name)) {
      if (!has_uid(seen.claim_users, pod->meta.uid)) seen.claim_users.push_back(std::move(pod));
    }
  }
}

void read_node(const Caches& caches, const std::string& name, Observation& seen) {
  if (name.empty()) return;
  if (auto node = caches.nodes.get("", name)) seen.nodes[name] = std::move(node);
  for (auto& claim : caches.node_claims.by_index(kByNode, name)) {
    for (auto& event : caches.node_claim_events.by_index(kByInvolved, claim->meta.name)) seen.events.push_back(event);
    seen.node_claims[claim->meta.uid] = std::move(claim);
  }
  for (auto& event : caches.node_events.by_index(kByInvolved, name)) seen.events.push_back(std::move(event));
}

// A NodeClaim that the cache lacks is a proof that a machine is gone: only the API server's own answer counts.
Result<void> confirm_claim_gone(const Caches& caches, runtime::ReconcileContext& context, const api::RankStatus& rank,
                                Observation& seen) {
  if (rank.node_claim_uid.empty() || rank.proof != api::EndProof::None) return {};
  if (seen.node_claims.contains(rank.node_claim_uid)) return {};
  if (caches.node_claims.absent()) {  // nobody can say anything about a claim
    seen.node_claims_served = false;
    return {};
  }
  auto live = context.read_live<api::NodeClaim>("", rank.node_claim_name);
  if (!live) return std::unexpected(std::move(live).error());
  if (live->has_value() && (*live)->meta.uid == rank.node_claim_uid) {
    seen.node_claims[rank.node_claim_uid] = std::make_shared<const api::NodeClaim>(**std::move(live));
  }
  return {};
}

// Asks the API server for a node that no cache has ever shown: does it know the node, or a NodeClaim that stands for
// it?
Result<void> confirm_node_absent(const Caches& caches, runtime::Client& client, runtime::ReconcileContext& context,
                                 const std::string& node, Observation& seen) {
  if (caches.node_claims.absent()) return {};
  if (node.empty() || seen.nodes.contains(node)) return {};
  auto live = context.read_live<kube::Node>("", node);
  if (!live) return std::unexpected(std::move(live).error());
  if (live->has_value()) {
    seen.nodes[node] = std::make_shared<const kube::Node>(**std::move(live));
    return {};
  }
  auto page = client.list(kube::KindOf<api::NodeClaim>::info(), "", {});
  if (!page) return std::unexpected(std::move(page).error());
  // The cache's NodeClaims under that name may be of an earlier machine.
  std::erase_if(seen.node_claims, [&](const auto& entry) { return entry.second->node_name == node; });
  std::size_t undecodable = 0;
  bool stands = false;
  auto parsed = runtime::parse_list_page(*page, [&](std::string_view json) {
    auto claim = kube::KindOf<api::NodeClaim>::decode(json);
    if (!claim) ++undecodable;
    if (!claim || claim->node_name != node) return;
    stands = true;
    std::string uid = claim->meta.uid;  // the right side of an assignment is evaluated first, and moves it away
    seen.node_claims.insert_or_assign(std::move(uid), std::make_shared<const api::NodeClaim>(*std::move(claim)));
  });
  if (!parsed) return std::unexpected(std::move(parsed).error());
  if (undecodable == 0 && !stands) seen.absent_nodes.insert(node);
  return {};
}

// The scheduler knows Nodes that the cache shows late, or shows as an earlier machine's of that name: so long, one
// attempt after the other would be bound to the node that ended the last one.
Result<void> read_leaving(const Caches& caches, runtime::ReconcileContext& context, Observation& seen) {
  constexpr int most_reads = 4;  // one node that takes pods is enough to wait, also where a whole pool goes
  int reads = 0;
  for (const auto& claim : caches.node_claims.by_index(kByPool, seen.job->spec.pool_name)) {
    if (!claim->meta.deletion_timestamp || claim->node_name.empty()) continue;
    auto node = caches.nodes.get("", claim->node_name);
    const bool another =
        node && !node->provider_id.empty() && !claim->provider_id.empty() && node->provider_id != claim->provider_id;
    if ((!node || another) && ++reads <= most_reads) {
      auto live = context.read_live<kube::Node>("", claim->node_name);
      if (!live) return std::unexpected(std::move(live).error());
      node = live->has_value() ? std::make_shared<const kube::Node>(**std::move(live)) : nullptr;
    }
    if (node) seen.leaving.push_back(std::move(node));
  }
  return {};
}

void read_conflicting_jobs(const Caches& caches, Observation& seen) {
  const api::ResumableJob& job = *seen.job;
  for (std::int32_t i = 0; i < claim_count(job); ++i) {
    for (auto& other : caches.jobs.by_index(kByClaim, job.meta.namespace_ + "/" + claim_name(job, i))) {
      const bool writing = std::ranges::any_of(other->status.members, [](const api::RankStatus& rank) {
        return !rank.pod_uid.empty() && rank.proof == api::EndProof::None;
      });
      if (other->meta.uid != job.meta.uid && writing) seen.conflicting_jobs.push_back(std::move(other));
    }
  }
}

// Says why a job keeps the claim, as the API server shows the job. The pods of one that is gone may still be there: any
// pod that mounts the claim counts, whatever it says of itself.
Result<std::string> why_kept_live(runtime::Client& client, runtime::ReconcileContext& context,
                                  const api::ResumableJob& job, const std::string& claim,
                                  const ClaimReservation& reservation) {
  auto holder = context.read_live<api::ResumableJob>(job.meta.namespace_, reservation.job);
  if (!holder) return std::unexpected(std::move(holder).error());
  if (holder->has_value() && (*holder)->meta.uid == reservation.uid) return why_kept(**holder, reservation, claim);
  std::string why;
  auto listed = each_item(client, kube::KindOf<kube::Pod>::info(), job.meta.namespace_, {}, [&](std::string_view json) {
    const auto pod = kube::KindOf<kube::Pod>::decode(json);
    if (pod &&
        (std::ranges::find(pod->claim_names, kube::Text(claim)) == pod->claim_names.end() || !may_still_run(*pod)))
      return;
    if (pod && is_of_job(pod->meta, job)) return;
    why = "ResumableJob " + reservation.job + ", which had the claim, is gone, and pod " +
          (pod ? std::string(pod->meta.name) : "(unreadable)") +
          ", which mounts it, has not ended; the job starts when it has";
  });
  if (!listed) return std::unexpected(std::move(listed).error());
  return why;
}

// The claims come from the cache before anybody is asked about who has them: what is decided on that is written against
// the version of the claim that was seen.
Result<void> read_kept_claims(const Caches& caches, runtime::Client& client, runtime::ReconcileContext& context,
                              Observation& seen) {
  const api::ResumableJob& job = *seen.job;
  for (const auto& [name, claim] : seen.claims) {
    const auto reservation = reservation_of(*claim);
    if (!reservation || reservation->uid == job.meta.uid) continue;
    const auto holder = caches.jobs.get(job.meta.namespace_, reservation->job);
    std::string why =
        holder && holder->meta.uid == reservation->uid ? why_kept(*holder, *reservation, name) : std::string();
    if (why.empty() && !job.status.members.empty()) {
      auto live = why_kept_live(client, context, job, name, *reservation);
      if (!live) return std::unexpected(std::move(live).error());
      why = *std::move(live);
    }
    if (!why.empty()) seen.kept_claims[name] = std::move(why);
  }
  return {};
}

bool is_known_by_hearsay(const Observation& seen, const api::RankStatus& rank) {
  const auto is_it = [&](const auto& pod) {
    return rank.pod_uid.empty() ? pod->meta.name == rank.pod_name : pod->meta.uid == rank.pod_uid;
  };
  return rank.boot_id.empty() && std::ranges::none_of(seen.pods, is_it) &&
         std::ranges::none_of(seen.deleted_pods, is_it);
}

// A pod that holds a place, or keeps a GPU ready, is nobody's work.
bool uses_gpus(const kube::Pod& pod) {
  const bool ended = pod.phase == kube::PodPhase::Succeeded || pod.phase == kube::PodPhase::Failed;
  return !ended && !pod.resource_requests.empty() && !is_standby(pod) && !is_warm(pod);
}

void read_nodes_of_others(const Caches& caches, Observation& seen) {
  for (const api::RankStatus& rank : seen.job->status.members) {
    const auto scheduled = seen.scheduled.find(rank.pod_name);
    const kube::Text node =
        scheduled == seen.scheduled.end() ? rank.node_name : kube::Text(scheduled->second.node_name);
    if (node.empty() || !is_known_by_hearsay(seen, rank)) continue;
    for (const auto& pod : caches.pods.by_index(kByNode, node)) {
      if (pod->meta.namespace_ != seen.job->meta.namespace_ && uses_gpus(*pod)) seen.nodes_of_others.insert(node);
    }
  }
}

void read_reports(const Caches& caches, Observation& seen) {
  if (caches.inbox == nullptr) return;
  seen.report_to = caches.inbox->target.get();
  seen.progress_interval = caches.inbox->reports.status_interval();
  seen.silent_after = caches.inbox->reports.silent_after();
  for (const auto& pod : seen.pods) {
    if (auto report = caches.inbox->reports.of(pod->meta.uid)) seen.reports.emplace(pod->meta.uid, std::move(report));
  }
}

}  // namespace

Result<Observation> observe(const Caches& caches, const DeletedPodCache& deleted_pods, runtime::Client& client,
                            runtime::ReconcileContext& context, std::shared_ptr<const api::ResumableJob> job,
                            const OwnAttempt& own) {
  Observation seen;
  // Whole seconds, the grain of metav1.Time: what is written reads back equal.
  seen.now = std::chrono::floor<std::chrono::seconds>(context.clock().wall());
  seen.job = std::move(job);
  if (!seen.job->spec.pool_name.empty()) seen.pool = caches.pools.get("", seen.job->spec.pool_name);
  if (const auto ns = caches.namespaces.get("", seen.job->meta.namespace_)) {
    seen.namespace_labels = ns->meta.labels;
    seen.namespace_uid = ns->meta.uid;
  }
  seen.pods_may_come = !own.begun_here;
  read_pods(caches, seen);
  seen.deleted_pods =
      deleted_pods.of_job(seen.job->meta.uid);  // after the pods: whoever left in between is in one of both
  if (auto read = read_kueue(caches, context, seen); !read) return std::unexpected(std::move(read).error());
  read_claims(caches, seen);
  read_conflicting_jobs(caches, seen);
  if (auto sure = read_kept_claims(caches, client, context, seen); !sure)
    return std::unexpected(std::move(sure).error());
  const bool next_may_begin = seen.job->status.members.empty() || seen.job->status.attempt_end;
  if (next_may_begin && !seen.job->spec.pool_name.empty()) {
    if (auto read = read_leaving(caches, context, seen); !read) return std::unexpected(std::move(read).error());
  }
  const auto service = caches.services.get(seen.job->meta.namespace_, service_name(seen.job->meta.name));
  // An earlier job's Service of that name goes with it.
  seen.service_exists = service != nullptr && is_of_job(service->meta, *seen.job);
  for (const auto& pod : seen.pods) read_node(caches, pod->node_name, seen);
  for (const auto& pod : seen.deleted_pods) read_node(caches, pod->node_name, seen);
  if (auto looked = look_for_missing(client, context, own, seen); !looked) {
    return std::unexpected(std::move(looked).error());
  }
  for (const api::RankStatus& rank : seen.job->status.members) read_node(caches, rank.node_name, seen);
  for (const auto& [pod, scheduled] : seen.scheduled) read_node(caches, scheduled.node_name, seen);
  if (auto sure = confirm_machines(context, seen); !sure) return std::unexpected(std::move(sure).error());
  for (const api::RankStatus& rank : seen.job->status.members) {
    std::string node = rank.node_name;
    if (const auto scheduled = seen.scheduled.find(rank.pod_name); scheduled != seen.scheduled.end()) {
      node = scheduled->second.node_name;
    }
    for (const auto& pod : seen.deleted_pods) {
      if (pod->meta.name == rank.pod_name && node.empty()) node = pod->node_name;
    }
    if (rank.node_uid.empty() && !has_live_pod(seen, rank)) {
      if (auto sure = confirm_node_absent(caches, client, context, node, seen); !sure) {
        return std::unexpected(std::move(sure).error());
      }
    }
    if (auto sure = confirm_claim_gone(caches, context, rank, seen); !sure)
      return std::unexpected(std::move(sure).error());
  }
  for (const auto& [uid, claim] : seen.node_claims) {
    const std::string name(claim->meta.label(kNodePoolLabel));
    if (name.empty() || seen.node_pools.contains(name)) continue;
    if (auto node_pool = caches.node_pools.get("", name)) seen.node_pools[name] = std::move(node_pool);
  }
  read_nodes_of_others(caches, seen);
  read_reports(caches, seen);
  return seen;
}

}  // namespace reprise::controllers::resumablejob
