#include "simulator/scenarios/people/name_takers.h"

#include <utility>
#include <vector>

#include "simulator/actors/support/conditions.h"
#include "simulator/faults/own_stream.h"
#include "simulator/invariants/invariant.h"
#include "simulator/invariants/invariants.h"
#include "simulator/scenarios/people/forgeries.h"
#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr Duration one_second{1'000};
constexpr double share_taken = 0.5, share_referring = 0.5, share_ended = 0.6;
constexpr double shortest_stay = 30, longest_stay = 400, shortest_gap = 60, longest_gap = 400;

std::vector<std::string> claims_made_for(const Value& job) {
  if (find(job, {"spec", "checkpoint", "volume", "claimTemplate"}) == nullptr) return {};
  const std::string base = std::string(name_of(job)) + "-checkpoints";
  if (text(job, {"spec", "checkpoint", "volume", "access"}) != "PerIndex") return {base};
  std::vector<std::string> names;
  for (std::int64_t rank = 0; rank < number(job, {"spec", "parallelism"}, 1); ++rank)
    names.push_back(base + "-" + std::to_string(rank));
  return names;
}

}  // namespace

NameTakers::NameTakers(Actors& actors, const Workload& workload, std::uint64_t seed)
    : actors_(actors),
      random_(own_stream(seed, "name-takers")),
      jobs_(actors.cluster.api.resource("reprise.dev", "resumablejobs")),
      services_(actors.cluster.api.resource("", "services")),
      claims_(actors.cluster.api.resource("", "persistentvolumeclaims")),
      queued_(workload.queue.units > 0),
      timers_(actors.cluster.loop),
      removals_(actors.cluster.loop) {
  if (!workload.hostile_tenant) return;
  made_jobs_ = actors.cluster.api.subscribe(jobs_, [this](const ObjectChange& change) {
    if (change.change != Change::Added || namespace_of(*change.object) != kJobNamespace) return;
    timers_.after(Duration{1}, [this, name = std::string(name_of(*change.object))] { take_names(name); });
  });
  timers_.after(one_second, [this] { act(); });
}

void NameTakers::make(ResourceId resource, Value object) {
  const std::string name(name_of(object));
  set(object, {"metadata", "namespace"}, Value(kJobNamespace));
  const auto made = actors_.cluster.api.create(resource, std::move(object));
  if (!made) return;
  actors_.cluster.log.add("mallory", "takes the name " + name);
  const ObjectAddress address{resource, kJobNamespace, name};
  const std::string uid(uid_of(*actors_.cluster.api.get(address)));
  if (actors_.cluster.api.type(resource).kind == "Workload")
    (void)actors_.cluster.api.update(
        address, [](Value& value) { set(value, {"status"}, forged_admission()); }, "status");
  removals_.after(between(random_, shortest_stay, longest_stay, one_second), [this, resource, name, uid] {
    (void)actors_.cluster.api.remove({resource, kJobNamespace, name}, {.grace_seconds = 0, .uid = uid});
  });
}

void NameTakers::take_names(const std::string& name) {
  const ObjectPtr job = actors_.cluster.api.get({jobs_, kJobNamespace, name});
  if (!job) return;
  const bool refers = random_.uniform() < share_referring;
  const auto taken = [&](ResourceId resource, Value object) {
    if (random_.uniform() >= share_taken) return;
    if (refers) set(object, {"metadata", "ownerReferences"}, reference_to(*job, false));
    make(resource, std::move(object));
  };
  for (const std::string& claim : claims_made_for(*job)) taken(claims_, forged_claim(*job, claim));
  taken(services_, forged_service(*job));
  if (queued_) taken(actors_.cluster.api.resource("kueue.x-k8s.io", "workloads"), forged_workload(*job));
  take_names_of_next(*job);
}

void NameTakers::take_names_of_next(const Value& job) {
  const std::int64_t next = number(job, {"status", "attempt"}) + 1;
  const bool ended = random_.uniform() < share_ended, refers = random_.uniform() < share_referring;
  for (std::int64_t index = 0; index < number(job, {"spec", "parallelism"}, 1); ++index) {
    if (random_.uniform() >= share_taken) continue;
    const std::string name = rank_name(job, next, index);
    Value pod = forged_pod(job, name);
    set(pod, {"metadata", "labels", "reprise.dev/attempt"}, Value(std::to_string(next)));
    if (refers) set(pod, {"metadata", "ownerReferences"}, reference_to(job, false));
    make(actors_.kinds.pods, std::move(pod));
    const ObjectAddress address{actors_.kinds.pods, kJobNamespace, name};
    const ObjectPtr there = actors_.cluster.api.get(address);
    if (!there || !is_forged(*there)) continue;
    (void)actors_.cluster.api.update(
        address, [ended](Value& value) { set(value, {"status"}, forged_status(ended)); }, "status");
    report(job, *there);
  }
}

void NameTakers::report(const Value& job, const Value& pod) {
  if (!actors_.cluster.on_report) return;
  actors_.cluster.on_report({std::string(namespace_of(pod)), std::string(name_of(pod)), std::string(uid_of(pod))},
                            forged_report(job));
}

void NameTakers::act() {
  for (const ObjectPtr& job : actors_.cluster.api.list(jobs_, kJobNamespace))
    if (!has_ended(*job) && random_.uniform() < 0.2) take_names_of_next(*job);
  timers_.after(between(random_, shortest_gap, longest_gap, one_second), [this] { act(); });
}

void NameTakers::end() {
  timers_.cancel_all();
  made_jobs_.reset();
}

}  // namespace reprise::simulator
