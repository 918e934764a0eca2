#include "simulator/scenarios/people/hostile_tenant.h"

#include <array>
#include <utility>
#include <vector>

#include "simulator/actors/support/conditions.h"
#include "simulator/faults/own_stream.h"
#include "simulator/invariants/invariants.h"
#include "simulator/scenarios/people/forgeries.h"
#include "simulator/scenarios/run/chance.h"
#include "simulator/scenarios/workload/queues.h"

namespace reprise::simulator {
namespace {

constexpr Duration second{1'000};
constexpr double shortest_pause = 10, longest_pause = 90;

}  // namespace

void draw_hostile_tenant(std::uint64_t seed, Workload& workload) {
  const auto is_among = [seed](std::uint64_t first, std::uint64_t last) { return seed >= first && seed <= last; };
  workload.hostile_tenant =
      is_among(kFirstSeedWithHostileTenant, kLastSeedWithHostileTenant) ||
      is_among(kFirstSeedWithHostileTenant + kSeedsWithoutQueues, kLastSeedWithHostileTenant + kSeedsWithoutQueues);
  if (is_among(kFirstSeedWithForgedReports, kLastSeedWithHostileTenant)) workload.reports = true;
}

HostileTenant::HostileTenant(Actors& actors, const Workload& workload, std::uint64_t seed, Report report)
    : actors_(actors),
      report_(std::move(report)),
      random_(own_stream(seed, "hostile-tenant")),
      jobs_(actors.cluster.api.resource("reprise.dev", "resumablejobs")),
      pools_(actors.cluster.api.resource("reprise.dev", "gpupools")),
      services_(actors.cluster.api.resource("", "services")),
      claims_(actors.cluster.api.resource("", "persistentvolumeclaims")),
      queued_(workload.queue.units > 0),
      name_takers_(actors, workload, seed),
      timers_(actors.cluster.loop) {
  if (!workload.hostile_tenant) return;
  timers_.after(second, [this] { make_job(); });
  timers_.after(second, [this] { act(); });
}

void HostileTenant::create(ResourceId resource, Value object) {
  set(object, {"metadata", "namespace"}, Value(kForeignNamespace));
  // Replaces the object under that name.
  (void)actors_.cluster.api.remove({resource, kForeignNamespace, name_of(object)}, {.grace_seconds = 0});
  (void)actors_.cluster.api.create(resource, std::move(object));
}

ObjectPtr HostileTenant::some_job() {
  std::vector<ObjectPtr> jobs;
  for (const ObjectPtr& job : actors_.cluster.api.list(jobs_, kJobNamespace))
    if (!has_ended(*job)) jobs.push_back(job);
  return pick(random_, jobs);
}

void HostileTenant::act() {
  if (const ObjectPtr job = some_job()) {
    make_pods(*job);
    make_others(*job);
    write_events(*job);
  }
  timers_.after(between(random_, shortest_pause, longest_pause, second), [this] { act(); });
}

// Makes pods for the attempt under way and the next, for one that never will be, and for standby.
void HostileTenant::make_pods(const Value& job) {
  struct Kind {
    std::int64_t ahead;
    const char* label;
    const char* value;
  };
  constexpr std::array kKinds{Kind{1, "", ""}, Kind{0, "reprise.dev/attempt", "999"},
                              Kind{1, "reprise.dev/attempt", ""}, Kind{0, "reprise.dev/standby", "1"}};
  const Kind kind = kKinds.at(static_cast<std::size_t>(random_.uniform() * static_cast<double>(kKinds.size())));
  const bool ended = random_.uniform() < 0.6;
  const double owned = random_.uniform();
  const std::int64_t attempt = number(job, {"status", "attempt"}) + kind.ahead;
  const std::int64_t ranks = number(job, {"spec", "parallelism"}, 1);
  for (std::int64_t index = 0; index < ranks; ++index) {
    const std::string name = rank_name(job, attempt, index);
    Value pod = forged_pod(job, name);
    if (owned < 0.5) set(pod, {"metadata", "ownerReferences"}, reference_to(job, owned < 0.3));
    mount_claim(job, pod);
    if (*kind.label != '\0')
      set(pod, {"metadata", "labels", kind.label}, Value(*kind.value != '\0' ? kind.value : std::to_string(attempt)));
    create(actors_.kinds.pods, std::move(pod));
    (void)actors_.cluster.api.update(
        {actors_.kinds.pods, kForeignNamespace, name},
        [ended](Value& value) { set(value, {"status"}, forged_status(ended)); }, "status");
    report(job, name);
  }
}

// A claim of that name is another one in another namespace.
void HostileTenant::mount_claim(const Value& job, Value& pod) {
  std::string claim(text(job, {"spec", "checkpoint", "volume", "claimName"}));
  if (claim.empty()) claim = std::string(name_of(job)) + "-checkpoints";
  set(pod, {"spec", "volumes"},
      JsonArray{JsonObject{{"name", "checkpoints"}, {"persistentVolumeClaim", JsonObject{{"claimName", claim}}}}});
}

void HostileTenant::report(const Value& job, const std::string& name) {
  const ObjectPtr pod = actors_.cluster.api.get({actors_.kinds.pods, kForeignNamespace, name});
  if (pod && actors_.cluster.on_report)
    actors_.cluster.on_report({std::string(kForeignNamespace), name, std::string(uid_of(*pod))}, forged_report(job));
}

void HostileTenant::make_others(const Value& job) {
  const auto owned = [&](Value object) {
    const double how = random_.uniform();
    if (how < 0.5) set(object, {"metadata", "ownerReferences"}, reference_to(job, how < 0.3));
    return object;
  };
  create(services_, owned(forged_service(job)));
  create(claims_, owned(forged_claim(job, std::string(name_of(job)) + "-checkpoints")));
  if (!queued_) return;
  const ResourceId workloads = actors_.cluster.api.resource("kueue.x-k8s.io", "workloads");
  const Value workload = owned(forged_workload(job));
  create(workloads, workload);
  (void)actors_.cluster.api.update(
      {workloads, kForeignNamespace, name_of(workload)},
      [](Value& value) { set(value, {"status"}, forged_admission()); }, "status");
}

void HostileTenant::write_event(const std::string& ns, JsonObject about, std::string_view reason,
                                const std::string& message, std::string_view component) {
  const std::string now = time_text(actors_.cluster.loop);
  (void)actors_.cluster.api.create(
      actors_.kinds.events,
      JsonObject{{"apiVersion", "v1"},
                 {"kind", "Event"},
                 {"metadata", JsonObject{{"name", "mallory." + std::to_string(++events_)}, {"namespace", ns}}},
                 {"involvedObject", std::move(about)},
                 {"reason", reason},
                 {"message", message},
                 {"type", "Warning"},
                 {"source", JsonObject{{"component", component}}},
                 {"reportingComponent", component},
                 {"firstTimestamp", now},
                 {"lastTimestamp", now},
                 {"count", 1}});
}

// About the nodes of a job's ranks, and about its pods.
void HostileTenant::write_events(const Value& job) {
  const std::string own(kForeignNamespace);
  const double how = random_.uniform();
  for (const Value& rank : array(job, {"status", "members"})) {
    const std::string node(text(rank, {"nodeName"})), uid(text(rank, {"nodeUID"}));
    const std::string pod(text(rank, {"podName"}));
    write_event(own, {{"kind", "Pod"}, {"name", pod}, {"namespace", own}, {"uid", "forged"}}, "Scheduled",
                "Successfully assigned " + own + "/" + pod + " to " + (node.empty() ? kNoMachine : node),
                "default-scheduler");
    if (node.empty()) continue;
    const JsonObject about{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}, {"uid", uid}};
    const JsonObject no_uid{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}};
    write_event("default", about, "SpotInterrupted", "said by mallory", "mallory");
    write_event("default", no_uid, "SpotRebalanceRecommendation", "said by mallory", "mallory");
    // Events with a forged reporter are kept to a rate.
    if (how < 0.3) write_event("default", about, "SpotInterrupted", "said in Karpenter's name", "karpenter");
  }
}

// A job that may not use the pool, and never ends.
void HostileTenant::make_job() {
  JobPlan plan;
  plan.name = "squatter";
  Value job = job_object(plan, actors_.cluster.loop.wall());
  set(job, {"spec", "suspend"}, Value(true));
  create(jobs_, std::move(job));
}

void HostileTenant::end() {
  timers_.cancel_all();
  name_takers_.end();
  for (const ResourceId resource : {actors_.kinds.pods, services_, claims_})
    for (const ObjectPtr& object : actors_.cluster.api.list(resource, kForeignNamespace))
      (void)actors_.cluster.api.remove({resource, kForeignNamespace, name_of(*object)}, {.grace_seconds = 0});
}

void HostileTenant::judge() const {
  const ObjectPtr pool = actors_.cluster.api.get({pools_, "", std::string(kPoolName)});
  std::int64_t unfinished = 0;
  for (const ObjectPtr& job : actors_.cluster.api.list(jobs_, kJobNamespace))
    if (!has_ended(*job)) ++unfinished;
  const std::int64_t counted = pool ? number(*pool, {"status", "jobs"}) : 0;
  if (counted > unfinished)
    report_("foreign-jobs-do-not-count", "the pool counts " + std::to_string(counted) + " jobs, and " +
                                             std::to_string(unfinished) + " may use it and have not ended");
}

}  // namespace reprise::simulator
