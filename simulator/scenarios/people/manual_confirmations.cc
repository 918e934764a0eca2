#include "simulator/scenarios/people/manual_confirmations.h"

#include <utility>

#include "simulator/scenarios/people/confirmation.h"
#include "simulator/scenarios/run/chance.h"
#include "simulator/scenarios/workload/share_trainers.h"

namespace reprise::simulator {

ManualConfirmations::ManualConfirmations(Cluster& cluster, runtime::Random& random, FaultKind fault)
    : cluster_(cluster),
      random_(random),
      fault_(fault),
      jobs_(cluster.api.resource("reprise.dev", "resumablejobs")),
      pods_(cluster.api.resource("", "pods")),
      timers_(cluster.loop) {
  subscription_ = cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

void ManualConfirmations::add(const std::string& job_uid, std::int64_t attempt, std::function<void()> next_runs) {
  cases_[job_uid] = {.attempt = attempt, .next_runs = std::move(next_runs)};
}

void ManualConfirmations::see(const ObjectChange& change) {
  if (cases_.empty() || change.change == Change::Deleted) return;
  if (change.resource == jobs_) {
    if (const auto found = cases_.find(uid_of(*change.object)); found != cases_.end())
      see_job(*change.object, found->second);
  } else if (change.resource == pods_ && change.before && runs(*change.object) && !runs(*change.before)) {
    if (const auto found = cases_.find(job_uid_of(*change.object)); found != cases_.end())
      see_pod(*change.object, found->second);
  }
}

void ManualConfirmations::see_job(const Value& job, Case& of) {
  const auto confirmation = awaited_confirmation(job);
  if (of.said || !confirmation) return;
  of.said = true;
  timers_.after(
      between(random_, 1, 5, Duration{1'000}),
      [this, confirmation = *confirmation, ns = std::string(namespace_of(job)), job_name = std::string(name_of(job))] {
        cluster_.log.add("fault", std::string(name(fault_)) + ": a person confirms for " + job_name);
        confirm(cluster_.api, ns, job_name, confirmation);
      });
}

void ManualConfirmations::see_pod(const Value& pod, Case& of) {
  if (of.next_runs && attempt_of(pod) > of.attempt) std::exchange(of.next_runs, nullptr)();
}

void ManualConfirmations::end() {
  timers_.cancel_all();
  cases_.clear();
}

}  // namespace reprise::simulator
