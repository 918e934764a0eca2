#include "simulator/scenarios/run/undisturbed.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

#include "runtime/kube/time.h"

namespace reprise::simulator {
namespace {

// A reconcile or two, and the grain of the times; machines without work go after a minute.
constexpr std::chrono::seconds soon{30};

auto time_of(const Value& job, std::string_view of) {
  return kube::parse_time(text(job, {"status", of}));
}

void judge_turns(const Value& first, const Value& next,
                 const std::function<void(std::string invariant, std::string what)>& object_to) {
  const auto ended = time_of(first, "completionTime"), began = time_of(next, "startTime");
  const auto made = kube::parse_time(text(next, {"metadata", "creationTimestamp"}));
  if (!ended || !began || !made || *began < *ended) return;
  const auto due = std::max(*ended, *made) + soon;
  if (*began > due)
    object_to("turns-come-soon", "job " + std::string(name_of(next)) + " begins at " +
                                     std::string(text(next, {"status", "startTime"})) + ", and job " +
                                     std::string(name_of(first)) + " on its claim has ended at " +
                                     std::string(text(first, {"status", "completionTime"})));
}

}  // namespace

void judge_undisturbed(const ApiServer& api, const Workload& workload,
                       const std::function<void(std::string invariant, std::string what)>& object_to) {
  const ResourceId jobs = api.resource("reprise.dev", "resumablejobs");
  const auto find_job = [&](const JobPlan& plan) { return api.get({jobs, kJobNamespace, plan.name}); };
  for (const ObjectPtr& job : api.list(jobs))
    if (const auto count = number(*job, {"status", "interruptionCount"}); count > 0)
      object_to("counts-what-was",
                "job " + std::string(name_of(*job)) + " counts " + std::to_string(count) + " interruptions");
  for (const JobPlan& plan : workload.jobs) {
    const ObjectPtr job = find_job(plan);
    const auto failures = job ? number(*job, {"status", "failures"}) : 0;
    if (plan.hang_attempts > 0 && failures > 0)
      object_to("counts-what-was",
                "job " + plan.name + " counts " + std::to_string(failures) + " failures, and its trainers only hung");
  }
  for (const JobPlan& first : workload.jobs)
    for (const JobPlan& next : workload.jobs) {
      // A start after a suspend is not its first; a job in a queue waits for others, too.
      if (&first == &next || claim_name(first) != claim_name(next) || next.suspended_for > Duration{0} || next.queued)
        continue;
      const ObjectPtr one = find_job(first), other = find_job(next);
      if (one && other) judge_turns(*one, *other, object_to);
    }
}

}  // namespace reprise::simulator
