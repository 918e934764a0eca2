#include "simulator/scenarios/run/orderly_ends.h"

#include <algorithm>
#include <array>
#include <utility>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

// A watch brings the change, caches catch up after a takeover, a reconcile comes: all of that takes seconds.
constexpr Duration long_seen{30'000};

}  // namespace

// A write without an answer keeps the lease from being given back, so that nothing is judged; a write that is rejected,
// or that leaves the others no time, does not.
bool OrderlyEnds::can_be_judged(const FaultMix& mix) {
  constexpr std::array hinder{FaultKind::Rejection, FaultKind::SlowExchange, FaultKind::WatchHeld,
                              FaultKind::OperatorFrozen, FaultKind::NodeNameReused};
  return std::ranges::none_of(hinder, [&](FaultKind kind) { return mix.rate(kind) > 0; });
}

OrderlyEnds::OrderlyEnds(Cluster& cluster, Report report)
    : cluster_(cluster),
      report_(std::move(report)),
      jobs_(cluster.api.resource("reprise.dev", "resumablejobs")),
      pods_(cluster.api.resource("", "pods")),
      of_pods_(cluster.api.subscribe(pods_, [this](const ObjectChange& change) { note_pod(change); })),
      of_leases_(cluster.api.subscribe(cluster.api.resource("coordination.k8s.io", "leases"),
                                       [this](const ObjectChange& change) { note_lease(change); })) {}

void OrderlyEnds::note_pod(const ObjectChange& change) {
  const std::string uid(uid_of(*change.object));
  if (change.change == Change::Deleted) {
    seen_.erase(uid);
    return;
  }
  const Duration now = cluster_.loop.now();
  PodSeen& pod = seen_.try_emplace(uid, PodSeen{.made = now}).first->second;
  if (pod.bound == Duration{0} && !text(*change.object, {"spec", "nodeName"}).empty()) pod.bound = now;
}

void OrderlyEnds::note_lease(const ObjectChange& change) {
  const auto holder = [](const ObjectPtr& lease) {
    return lease ? text(*lease, {"spec", "holderIdentity"}) : std::string_view();
  };
  if (holder(change.object) == holder(change.before)) return;
  const Duration now = cluster_.loop.now();
  const bool knows_all = !holder(change.before).empty() && now - led_since_ >= 2 * long_seen;
  led_since_ = now;
  if (!holder(change.object).empty() || !knows_all) return;
  for (const ObjectPtr& job : cluster_.api.list(jobs_))
    if (!has_ended(*job) && !being_deleted(*job)) judge(*job);
}

void OrderlyEnds::judge(const Value& job) const {
  for (const Value& rank : array(job, {"status", "members"})) {
    const std::string name(text(rank, {"podName"}));
    const ObjectPtr pod = cluster_.api.get({pods_, std::string(namespace_of(job)), name});
    if (!pod || being_deleted(*pod)) continue;
    const auto seen = seen_.find(std::string(uid_of(*pod)));
    if (seen == seen_.end()) continue;
    const auto since_long = [this](Duration then) { return cluster_.loop.now() - then >= long_seen; };
    const bool lacks_uid = text(rank, {"podUID"}).empty() && since_long(seen->second.made);
    const bool lacks_node =
        text(rank, {"nodeName"}).empty() && seen->second.bound > Duration{0} && since_long(seen->second.bound);
    if (lacks_uid || lacks_node)
      report_("orderly-end-tells-all", "an operator gives its lease back and has not recorded " +
                                           std::string(lacks_uid ? "the uid" : "the node") + " of pod " + name);
  }
}

}  // namespace reprise::simulator
