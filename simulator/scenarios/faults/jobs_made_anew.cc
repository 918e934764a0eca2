#include "simulator/scenarios/faults/jobs_made_anew.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simulator/invariants/invariants.h"
#include "simulator/scenarios/run/chance.h"
#include "simulator/scenarios/workload/share_trainers.h"

namespace reprise::simulator {
namespace {

constexpr Duration second{1'000}, minute{60'000};
constexpr double share_orphaned = 0.6;
// A script makes the job anew soonest; somebody who looks for the manifest takes the longest.
constexpr double soonest_made = 1, latest_made = 300;  // seconds
// The time from the deletion until somebody tidies up after it.
constexpr double soonest_tidied = 0.5, latest_tidied = 30;  // minutes
constexpr double silent_from = 3, silent_to = 15;           // minutes

double log_uniform(runtime::Random& random, double low, double high) {
  return low * std::pow(high / low, random.uniform());
}

}  // namespace

JobsMadeAnew::JobsMadeAnew(Actors& actors, runtime::Random& random, const Workload& workload)
    : actors_(actors),
      random_(random),
      workload_(workload),
      jobs_(actors.cluster.api.resource("reprise.dev", "resumablejobs")),
      timers_(actors.cluster.loop),
      people_(actors.cluster.loop) {}

ObjectPtr JobsMadeAnew::find(const std::string& name) const {
  return actors_.cluster.api.get({jobs_, kJobNamespace, name});
}

std::vector<JobsMadeAnew::Chance> JobsMadeAnew::chances() const {
  std::vector<Chance> found;
  for (const ObjectPtr& pod : actors_.cluster.api.list(actors_.kinds.pods, kJobNamespace)) {
    if (attempt_of(*pod) == 0 || !runs(*pod) || being_deleted(*pod) || is_forged(*pod)) continue;
    const std::string name(text(*pod, {"metadata", "labels", "reprise.dev/job"}));
    const ObjectPtr job = find(name);
    if (!job || uid_of(*job) != job_uid_of(*pod) || being_deleted(*job) || has_ended(*job)) continue;
    found.push_back(
        {.name = name, .uid = std::string(uid_of(*job)), .machine = std::string(text(*pod, {"spec", "nodeName"}))});
  }
  return found;
}

std::optional<std::string> JobsMadeAnew::inject() {
  const bool orphaned = random_.uniform() < share_orphaned;
  const Chance chosen = pick(random_, chances());
  const double made_after = log_uniform(random_, soonest_made, latest_made);
  const double tidied_after = log_uniform(random_, soonest_tidied, latest_tidied);
  if (chosen.name.empty()) return std::nullopt;
  if (orphaned) {
    people_.after(Duration{static_cast<Duration::rep>(tidied_after * 60'000)},
                  [this, uid = chosen.uid] { tidy_up(uid); });
  } else {
    cut_off(chosen.machine);
  }
  static_cast<void>(actors_.cluster.api.remove(
      {jobs_, kJobNamespace, chosen.name},
      {.uid = chosen.uid, .propagation = orphaned ? Propagation::Orphan : Propagation::Foreground}));
  to_make_.insert(chosen.name);
  timers_.after(Duration{static_cast<Duration::rep>(made_after * 1'000)}, [this, name = chosen.name] { make(name); });
  return chosen.name + (orphaned ? ", its pods are left behind" : ", and " + chosen.machine + " is silent");
}

void JobsMadeAnew::cut_off(const std::string& machine) {
  silent_.insert(machine);
  actors_.silence(machine);
  timers_.after(between(random_, silent_from, silent_to, minute), [this, machine] {
    silent_.erase(machine);
    actors_.silence(machine, false);
  });
}

// Requires that the former job has gone: a deletion in the foreground waits for that.
void JobsMadeAnew::make(const std::string& name) {
  if (!to_make_.contains(name)) return;
  if (find(name)) {
    people_.after(second, [this, name] { make(name); });
    return;
  }
  to_make_.erase(name);
  JobPlan plan = *std::ranges::find(workload_.jobs, name, &JobPlan::name);
  // A claim that was made for another job serves each job that names it.
  if (!plan.volume_each) plan.claim = claim_name(plan);
  actors_.cluster.log.add("person", "makes " + name + " anew");
  ApiServer& api = actors_.cluster.api;
  const auto made = api.create(jobs_, job_object(plan, actors_.cluster.loop.wall()));
  if (!plan.volume_each || !made) return;
  // Several are handed over by their uids.
  std::string uids;
  for (const std::string& claim : claim_names(plan)) {
    const ObjectPtr there = api.get({api.resource("", "persistentvolumeclaims"), kJobNamespace, claim});
    if (there) uids += (uids.empty() ? "" : ",") + std::string(uid_of(*there));
  }
  static_cast<void>(api.update({jobs_, kJobNamespace, name}, [&](Value& value) {
    set(value, {"metadata", "annotations", "reprise.dev/accept-claims"}, Value(uids));
  }));
}

// kubectl delete pods,services,workloads -l reprise.dev/job-uid=...
void JobsMadeAnew::tidy_up(const std::string& job_uid) {
  ApiServer& api = actors_.cluster.api;
  std::vector<ResourceId> resources{api.resource("", "pods"), api.resource("", "services")};
  if (workload_.queue.units > 0) resources.push_back(api.resource("kueue.x-k8s.io", "workloads"));
  for (const ResourceId resource : resources) {
    for (const ObjectPtr& object : api.list(resource, kJobNamespace)) {
      if (job_uid_of(*object) != job_uid) continue;
      actors_.cluster.log.add("person", "tidies up " + std::string(name_of(*object)));
      static_cast<void>(api.remove({resource, kJobNamespace, name_of(*object)}, {.uid = uid_of(*object)}));
    }
  }
}

void JobsMadeAnew::end() {
  timers_.cancel_all();
  for (const std::string& machine : silent_) actors_.silence(machine, false);
  silent_.clear();
  for (const std::string& name : std::set<std::string>(to_make_)) make(name);
}

}  // namespace reprise::simulator
