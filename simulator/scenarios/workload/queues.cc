#include "simulator/scenarios/workload/queues.h"

#include <algorithm>

#include "simulator/faults/own_stream.h"
#include "simulator/invariants/invariant.h"
#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr Duration minute{60'000};
constexpr double share_queued = 0.85, share_urgent = 0.4, share_drained = 0.5, share_deactivated = 0.3,
                 share_deleted = 0.3;

}  // namespace

void draw_queues(std::uint64_t seed, Workload& workload) {
  if (seed <= kSeedsWithoutQueues) return;
  runtime::SeededRandom random = own_stream(seed, "workload/queues");
  int largest = 0, all = 0;
  for (JobPlan& job : workload.jobs) {
    job.queued = random.uniform() < share_queued || largest == 0;
    job.urgent = random.uniform() < share_urgent;
    const bool deactivated = random.uniform() < share_deactivated, deleted = random.uniform() < share_deleted;
    const Duration when = between(random, 5, 40, minute), lasts = between(random, 5, 20, minute);
    if (!job.queued) continue;
    largest = std::max(largest, job.parallelism);
    all += job.parallelism;
    if (deactivated) {
      job.deactivated_after = when;
      job.deactivated_for = lasts;
    }
    if (deleted) job.workload_deleted_after = between(random, 5, 40, minute);
  }
  // The largest fits, and seldom all do.
  workload.queue.units = largest + static_cast<int>(0.7 * random.uniform() * (all - largest + 1));
  if (random.uniform() < share_drained) {
    workload.queue.drained_after = between(random, 10, 60, minute);
    workload.queue.drained_for = between(random, 5, 30, minute);
  }
}

Queues::Queues(Cluster& cluster, const Workload& workload, std::uint64_t seed)
    : cluster_(cluster),
      random_(own_stream(seed, "kueue")),
      jobs_(cluster.api.resource("reprise.dev", "resumablejobs")),
      workloads_(cluster.api.resource("kueue.x-k8s.io", "workloads")),
      kueue_(cluster, random_, workload.queue.units),
      timers_(cluster.loop) {
  (void)cluster_.api.create(cluster_.api.resource("kueue.x-k8s.io", "workloadpriorityclasses"),
                            JsonObject{{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                                       {"kind", "WorkloadPriorityClass"},
                                       {"metadata", JsonObject{{"name", kUrgent}}},
                                       {"value", 100}});
  for (const JobPlan& job : workload.jobs) {
    if (job.deactivated_for > Duration{0}) {
      const Duration at = job.submitted + job.deactivated_after;
      timers_.after(at, [this, &job] { change(job.name, "deactivates", false); });
      timers_.after(at + job.deactivated_for, [this, &job] { change(job.name, "activates", true); });
    }
    if (job.workload_deleted_after > Duration{0})
      timers_.after(job.submitted + job.workload_deleted_after, [this, &job] { remove(job.name); });
  }
  if (workload.queue.drained_for == Duration{0}) return;
  timers_.after(workload.queue.drained_after, [this] { kueue_.drain(true); });
  timers_.after(workload.queue.drained_after + workload.queue.drained_for, [this] { kueue_.drain(false); });
}

void Queues::end() {
  timers_.cancel_all();
  kueue_.drain(false);
  for (const ObjectPtr& each : cluster_.api.list(workloads_))
    change(std::string(text(*each, {"metadata", "labels", "reprise.dev/job"})), "activates", true);
}

ObjectPtr Queues::workload_of(const std::string& job) const {
  const ObjectPtr owner = cluster_.api.get({jobs_, kJobNamespace, job});
  if (!owner) return nullptr;
  for (const ObjectPtr& each : cluster_.api.list(workloads_, kJobNamespace))
    if (!is_forged(*each) && text(*each, {"metadata", "labels", "reprise.dev/job-uid"}) == uid_of(*owner) &&
        !being_deleted(*each))
      return each;
  return nullptr;
}

void Queues::change(const std::string& job, const std::string& doing, bool active) {
  const ObjectPtr workload = workload_of(job);
  if (!workload) return;
  cluster_.log.add("person", doing + " the Workload of " + job);
  (void)cluster_.api.update({workloads_, namespace_of(*workload), name_of(*workload)}, [active](Value& value) {
    set(value, {"spec", "active"}, Value(active));
  });
}

void Queues::remove(const std::string& job) {
  const ObjectPtr workload = workload_of(job);
  if (!workload) return;
  cluster_.log.add("person", "deletes the Workload of " + job);
  (void)cluster_.api.remove({workloads_, namespace_of(*workload), name_of(*workload)});
}

}  // namespace reprise::simulator
