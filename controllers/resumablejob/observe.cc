#include "controllers/resumablejob/observe.h"

#include <algorithm>

#include "controllers/resumablejob/names.h"
#include "runtime/cache/watch_event.h"

namespace reprise::controllers::resumablejob {
namespace {

using runtime::Result;

bool has_uid(const std::vector<std::shared_ptr<const api::Pod>>& pods, const std::string& uid) {
  return std::ranges::any_of(pods, [&](const auto& pod) { return pod->meta.uid == uid; });
}

bool has_live_pod(const Observation& seen, const api::MemberStatus& member) {
  return std::ranges::any_of(seen.pods, [&](const auto& pod) { return pod->meta.name == member.pod_name; });
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
    seen.node_claims_by_node[name] = claim;
    for (auto& event : caches.node_claim_events.by_index(kByInvolved, claim->meta.name)) seen.events.push_back(event);
    seen.node_claims[claim->meta.uid] = std::move(claim);
  }
  for (auto& event : caches.node_events.by_index(kByInvolved, name)) seen.events.push_back(std::move(event));
}

// "Successfully assigned vision/fit-1-0 to node-a"
Result<Observation::Scheduled> word_of_scheduler(runtime::Client& client, const api::ResumableJob& job,
                                                 const api::MemberStatus& member) {
  runtime::ListOptions options;
  options.field_selector = "involvedObject.name=" + member.pod_name + ",reason=Scheduled";
  auto page = client.list(api::KindOf<api::Event>::info(), job.meta.namespace_, options);
  if (!page) return std::unexpected(std::move(page).error());
  Observation::Scheduled found;
  auto parsed = runtime::parse_list_page(*page, [&](std::string_view json) {
    const auto event = api::KindOf<api::Event>::decode(json);
    // An Event from before the job is about a pod of an earlier job of that name.
    if (!event || event->meta.creation_timestamp < job.meta.creation_timestamp) return;
    if (!member.pod_uid.empty() && event->involved_uid != member.pod_uid) return;
    const std::size_t at = event->message.rfind(" to ");
    if (at != std::string::npos) found = {event->involved_uid, event->message.substr(at + 4)};
  });
  if (!parsed) return std::unexpected(std::move(parsed).error());
  return found;
}

// A NodeClaim that the cache lacks is a proof that a machine is gone: only the API server's own word counts.
Result<void> confirm_claim_gone(runtime::ReconcileContext& context, const api::MemberStatus& member,
                                Observation& seen) {
  if (member.node_claim_uid.empty() || member.proof != api::EndProof::None) return {};
  if (seen.node_claims.contains(member.node_claim_uid)) return {};
  auto live = context.read_live<api::NodeClaim>("", member.node_claim_name);
  if (!live) return std::unexpected(std::move(live).error());
  if (live->has_value() && (*live)->meta.uid == member.node_claim_uid) {
    seen.node_claims[member.node_claim_uid] = std::make_shared<const api::NodeClaim>(**std::move(live));
  }
  return {};
}

// For a node that no cache has ever shown: does the API server know it, or a NodeClaim that stands for it?
Result<void> confirm_node_absent(runtime::Client& client, runtime::ReconcileContext& context, const std::string& node,
                                 Observation& seen) {
  if (node.empty() || seen.nodes.contains(node) || seen.node_claims_by_node.contains(node)) return {};
  auto live = context.read_live<api::Node>("", node);
  if (!live) return std::unexpected(std::move(live).error());
  if (live->has_value()) {
    seen.nodes[node] = std::make_shared<const api::Node>(**std::move(live));
    return {};
  }
  auto page = client.list(api::KindOf<api::NodeClaim>::info(), "", {});
  if (!page) return std::unexpected(std::move(page).error());
  std::size_t undecodable = 0;
  auto parsed = runtime::parse_list_page(*page, [&](std::string_view json) {
    auto claim = api::KindOf<api::NodeClaim>::decode(json);
    if (!claim) ++undecodable;
    if (!claim || claim->node_name != node) return;
    auto shared = std::make_shared<const api::NodeClaim>(*std::move(claim));
    seen.node_claims_by_node[node] = shared;
    seen.node_claims[shared->meta.uid] = shared;
  });
  if (!parsed) return std::unexpected(std::move(parsed).error());
  if (undecodable == 0 && !seen.node_claims_by_node.contains(node)) seen.absent_nodes.insert(node);
  return {};
}

// A member's pod that is in no cache is asked for once more: between leaving the cache and arriving among the departed
// there is a moment, and calling a living member vanished would end its machine. A member that is not known to have a
// pod may have got one from a process that died, or by a request whose answer was lost.
Result<void> look_for_missing(runtime::Client& client, runtime::ReconcileContext& context,
                              const api::MemberStatus& member, bool created_here, Observation& seen) {
  if (member.proof != api::EndProof::None || (member.pod_uid.empty() && created_here)) return {};
  const auto cached = [&](const std::vector<std::shared_ptr<const api::Pod>>& pods) {
    return std::ranges::any_of(pods, [&](const auto& pod) {
      return member.pod_uid.empty() ? pod->meta.name == member.pod_name : pod->meta.uid == member.pod_uid;
    });
  };
  if (cached(seen.pods) || cached(seen.departed)) return {};
  const api::ResumableJob& job = *seen.job;
  auto live = context.read_live<api::Pod>(job.meta.namespace_, member.pod_name);
  if (!live) return std::unexpected(std::move(live).error());
  const bool there = live->has_value() && (*live)->meta.label(kJobUidLabel) == job.meta.uid &&
                     (member.pod_uid.empty() || (*live)->meta.uid == member.pod_uid);
  if (there) {
    return runtime::fail(runtime::ErrorClass::Conflict, "the cache does not show pod " + member.pod_name + " yet");
  }
  if (!member.node_name.empty()) return {};
  auto scheduled = word_of_scheduler(client, job, member);
  if (!scheduled) return std::unexpected(std::move(scheduled).error());
  if (!scheduled->node_name.empty()) seen.scheduled[member.pod_name] = *std::move(scheduled);
  return {};
}

void read_leaving(const Caches& caches, Observation& seen) {
  for (const auto& claim : caches.node_claims.by_index(kByPool, seen.job->spec.pool_name)) {
    if (!claim->meta.deletion_timestamp) continue;
    auto node = caches.nodes.get("", claim->node_name);
    if (node) seen.leaving.push_back({std::move(node), *claim->meta.deletion_timestamp});
  }
}

// Other jobs that name one of the claims and have members that are not proven to have ended.
void read_rivals(const Caches& caches, Observation& seen) {
  const api::ResumableJob& job = *seen.job;
  for (std::int32_t i = 0; i < claim_count(job); ++i) {
    for (auto& other : caches.jobs.by_index(kByClaim, job.meta.namespace_ + "/" + claim_name(job, i))) {
      const bool writing = std::ranges::any_of(
          other->status.members, [](const api::MemberStatus& member) { return member.proof == api::EndProof::None; });
      if (other->meta.uid != job.meta.uid && writing) seen.rivals.push_back(std::move(other));
    }
  }
}

}  // namespace

Result<Observation> observe(const Caches& caches, const DepartedPods& departed, runtime::Client& client,
                            runtime::ReconcileContext& context, std::shared_ptr<const api::ResumableJob> job,
                            bool created_here) {
  Observation seen;
  // Whole seconds, the grain of metav1.Time: what is written reads back equal.
  seen.now = std::chrono::floor<std::chrono::seconds>(context.clock().wall());
  seen.job = std::move(job);
  if (!seen.job->spec.pool_name.empty()) seen.pool = caches.pools.get("", seen.job->spec.pool_name);
  if (const auto ns = caches.namespaces.get("", seen.job->meta.namespace_)) seen.namespace_labels = ns->meta.labels;
  seen.pods = caches.pods.by_index(kByJobUid, seen.job->meta.uid);
  seen.departed = departed.of_job(seen.job->meta.uid);  // after the pods: whoever left in between is in one of both
  read_claims(caches, seen);
  read_rivals(caches, seen);
  if (seen.job->status.members.empty() && !seen.job->spec.pool_name.empty()) read_leaving(caches, seen);
  const auto service = caches.services.get(seen.job->meta.namespace_, service_name(seen.job->meta.name));
  // An earlier job's Service of that name goes with it.
  seen.service_exists = service != nullptr && service->meta.label(kJobUidLabel) == seen.job->meta.uid;
  for (const auto& pod : seen.pods) read_node(caches, pod->node_name, seen);
  for (const auto& pod : seen.departed) read_node(caches, pod->node_name, seen);
  for (const api::MemberStatus& member : seen.job->status.members) {
    read_node(caches, member.node_name, seen);
    if (auto looked = look_for_missing(client, context, member, created_here, seen); !looked) {
      return std::unexpected(std::move(looked).error());
    }
    std::string node = member.node_name;
    if (const auto scheduled = seen.scheduled.find(member.pod_name); scheduled != seen.scheduled.end()) {
      node = scheduled->second.node_name;
      read_node(caches, node, seen);
    }
    for (const auto& pod : seen.departed) {
      if (pod->meta.name == member.pod_name && node.empty()) node = pod->node_name;
    }
    if (member.node_uid.empty() && !has_live_pod(seen, member)) {
      if (auto sure = confirm_node_absent(client, context, node, seen); !sure) {
        return std::unexpected(std::move(sure).error());
      }
    }
    if (auto sure = confirm_claim_gone(context, member, seen); !sure) return std::unexpected(std::move(sure).error());
  }
  return seen;
}

}  // namespace reprise::controllers::resumablejob
