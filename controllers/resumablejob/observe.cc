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

// A pod that is in no cache is asked for once more: between leaving the cache and arriving among the departed there is
// a moment, and calling a living member vanished would end its machine. True: it is there, look again soon.
Result<bool> still_there(runtime::ReconcileContext& context, const api::ResumableJob& job,
                         const api::MemberStatus& member) {
  auto pod = context.read_live<api::Pod>(job.meta.namespace_, member.pod_name);
  if (!pod) return std::unexpected(std::move(pod).error());
  return pod->has_value() && (*pod)->meta.uid == member.pod_uid;
}

// "Successfully assigned vision/fit-1-0 to node-a"
Result<std::string> node_by_scheduler(runtime::Client& client, const api::ResumableJob& job,
                                      const api::MemberStatus& member) {
  runtime::ListOptions options;
  options.field_selector = "involvedObject.uid=" + member.pod_uid + ",reason=Scheduled";
  auto page = client.list(api::KindOf<api::Event>::info(), job.meta.namespace_, options);
  if (!page) return std::unexpected(std::move(page).error());
  std::string node;
  auto parsed = runtime::parse_list_page(*page, [&](std::string_view json) {
    const auto event = api::KindOf<api::Event>::decode(json);
    if (!event) return;
    const std::size_t at = event->message.rfind(" to ");
    if (at != std::string::npos) node = event->message.substr(at + 4);
  });
  if (!parsed) return std::unexpected(std::move(parsed).error());
  return node;
}

// A NodeClaim that the cache lacks is a proof that a machine is gone: only the API server's own word counts.
Result<void> confirm_claim_gone(runtime::ReconcileContext& context, const api::MemberStatus& member, Observation& seen) {
  if (member.node_claim_uid.empty() || member.proof != api::EndProof::None) return {};
  if (seen.node_claims.contains(member.node_claim_uid)) return {};
  auto live = context.read_live<api::NodeClaim>("", member.node_claim_name);
  if (!live) return std::unexpected(std::move(live).error());
  if (live->has_value() && (*live)->meta.uid == member.node_claim_uid) {
    seen.node_claims[member.node_claim_uid] = std::make_shared<const api::NodeClaim>(**std::move(live));
  }
  return {};
}

Result<void> confirm_no_claim_by_node(runtime::Client& client, const std::string& node, Observation& seen) {
  if (node.empty() || seen.node_claims_by_node.contains(node)) return {};
  auto page = client.list(api::KindOf<api::NodeClaim>::info(), "", {});
  if (!page) return std::unexpected(std::move(page).error());
  auto parsed = runtime::parse_list_page(*page, [&](std::string_view json) {
    auto claim = api::KindOf<api::NodeClaim>::decode(json);
    if (!claim || claim->node_name != node) return;
    auto shared = std::make_shared<const api::NodeClaim>(*std::move(claim));
    seen.node_claims_by_node[node] = shared;
    seen.node_claims[shared->meta.uid] = shared;
  });
  if (!parsed) return std::unexpected(std::move(parsed).error());
  return {};
}

Result<void> look_for_missing(runtime::Client& client, runtime::ReconcileContext& context,
                              const api::MemberStatus& member, Observation& seen) {
  if (member.pod_uid.empty() || member.proof != api::EndProof::None) return {};
  if (has_uid(seen.pods, member.pod_uid) || has_uid(seen.departed, member.pod_uid)) return {};
  auto there = still_there(context, *seen.job, member);
  if (!there) return std::unexpected(std::move(there).error());
  if (*there) {
    return runtime::fail(runtime::ErrorClass::Conflict, "the cache does not show pod " + member.pod_name + " yet");
  }
  if (!member.node_name.empty()) return {};
  auto node = node_by_scheduler(client, *seen.job, member);
  if (!node) return std::unexpected(std::move(node).error());
  if (node->empty()) return {};
  seen.scheduled_nodes[member.pod_uid] = *node;
  if (auto sure = confirm_no_claim_by_node(client, *node, seen); !sure) return sure;
  return {};
}

}  // namespace

Result<Observation> observe(const Caches& caches, const DepartedPods& departed, runtime::Client& client,
                            runtime::ReconcileContext& context, std::shared_ptr<const api::ResumableJob> job) {
  Observation seen;
  // Whole seconds, the grain of metav1.Time: what is written reads back equal.
  seen.now = std::chrono::floor<std::chrono::seconds>(context.clock().wall());
  seen.job = std::move(job);
  if (!seen.job->spec.pool_name.empty()) seen.pool = caches.pools.get("", seen.job->spec.pool_name);
  if (const auto ns = caches.namespaces.get("", seen.job->meta.namespace_)) seen.namespace_labels = ns->meta.labels;
  seen.pods = caches.pods.by_index(kByJobUid, seen.job->meta.uid);
  seen.departed = departed.of_job(seen.job->meta.uid);  // after the pods: whoever left in between is in one of both
  read_claims(caches, seen);
  seen.service_exists = caches.services.get(seen.job->meta.namespace_, service_name(seen.job->meta.name)) != nullptr;
  for (const auto& pod : seen.pods) read_node(caches, pod->node_name, seen);
  for (const auto& pod : seen.departed) read_node(caches, pod->node_name, seen);
  for (const api::MemberStatus& member : seen.job->status.members) {
    read_node(caches, member.node_name, seen);
    if (auto looked = look_for_missing(client, context, member, seen); !looked) {
      return std::unexpected(std::move(looked).error());
    }
    if (const auto scheduled = seen.scheduled_nodes.find(member.pod_uid); scheduled != seen.scheduled_nodes.end()) {
      read_node(caches, scheduled->second, seen);
    }
    if (auto sure = confirm_claim_gone(context, member, seen); !sure) return std::unexpected(std::move(sure).error());
  }
  return seen;
}

}  // namespace reprise::controllers::resumablejob
